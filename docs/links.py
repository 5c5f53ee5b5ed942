"""For mkdocs: links to files outside of docs/ lead to the repository."""

REPOSITORY = "https://github.com/utf8kit/utf8kit/blob/main/"


def on_page_markdown(markdown, config, **_):
    return markdown.replace("](../", f"]({REPOSITORY}")
