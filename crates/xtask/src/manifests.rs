//! Writes the manifests of package managers from a release's checksums: a formula for Homebrew, and files for winget.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use crate::Result;

const DOWNLOADS: &str = "https://github.com/utf8kit/utf8kit/releases/download";
const DESCRIPTION: &str = "Check, repair, convert, explain and detect UTF-8 and its dialects";
const WINGET: &str = "utf8kit.utf8kit";

/// Writes the manifests of a version into a folder, from the lines of its `SHA256SUMS`.
pub(crate) fn write(version: &str, sums: &str, folder: &str) -> Result {
    let sums = fs::read_to_string(sums)?;
    let archives = Archives::new(version, &sums);
    for (name, content) in archives.manifests()? {
        let path = Path::new(folder).join(name);
        fs::create_dir_all(path.parent().unwrap_or(Path::new(folder)))?;
        fs::write(path, content)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The archives of a release.
struct Archives<'r> {
    version: &'r str,
    /// The checksum of each file.
    sums: BTreeMap<&'r str, &'r str>,
}

impl<'r> Archives<'r> {
    fn new(version: &'r str, sums: &'r str) -> Archives<'r> {
        let sums = sums.lines().filter_map(|line| line.split_once([' ', '\t']));
        Archives { version, sums: sums.map(|(sum, name)| (name.trim_start_matches([' ', '*']), sum)).collect() }
    }

    /// Returns the address and the checksum of the archive for a target.
    fn archive(&self, target: &str, suffix: &str) -> Result<(String, &'r str)> {
        let name = format!("utf8-v{}-{target}.{suffix}", self.version);
        let sum = self.sums.get(&*name).ok_or_else(|| format!("no checksum of {name}"))?;
        let is_sum = sum.len() == 64 && sum.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_sum {
            return Err(format!("{name}: {sum} is not a checksum").into());
        }
        Ok((format!("{DOWNLOADS}/v{}/{name}", self.version), sum))
    }

    /// Returns the names and contents of all manifests.
    fn manifests(&self) -> Result<Vec<(String, String)>> {
        let winget = |kind: &str| format!("winget/{WINGET}{kind}.yaml");
        Ok(vec![
            ("homebrew/utf8kit.rb".to_owned(), self.formula()?),
            (winget(""), self.winget("version", "DefaultLocale: en-US\n")),
            (winget(".installer"), self.winget("installer", &self.installers()?)),
            (winget(".locale.en-US"), self.winget("defaultLocale", &locale())),
        ])
    }

    fn formula(&self) -> Result<String> {
        let source = |processor: &str, target: &str| -> Result<String> {
            let (url, sum) = self.archive(target, "tar.gz")?;
            Ok(format!("    on_{processor} do\n      url \"{url}\"\n      sha256 \"{sum}\"\n    end\n"))
        };
        Ok(format!(
            r##"class Utf8kit < Formula
  desc "{DESCRIPTION}"
  homepage "https://github.com/utf8kit/utf8kit"
  version "{version}"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
{mac_arm}{mac_intel}  end

  on_linux do
{linux_arm}{linux_intel}  end

  def install
    bin.install "utf8"
    generate_completions_from_executable(bin/"utf8", "completions")
    (man1/"utf8.1").write Utils.safe_popen_read(bin/"utf8", "man")
  end

  test do
    assert_match "invalid byte", pipe_output("#{{bin}}/utf8 check --format short", "\xFF", 1)
  end
end
"##,
            version = self.version,
            mac_arm = source("arm", "aarch64-apple-darwin")?,
            mac_intel = source("intel", "x86_64-apple-darwin")?,
            linux_arm = source("arm", "aarch64-unknown-linux-musl")?,
            linux_intel = source("intel", "x86_64-unknown-linux-musl")?,
        ))
    }

    fn winget(&self, kind: &str, content: &str) -> String {
        format!(
            "# yaml-language-server: $schema=https://aka.ms/winget-manifest.{kind}.1.6.0.schema.json\n\
             PackageIdentifier: {WINGET}\nPackageVersion: {}\n{content}ManifestType: {kind}\nManifestVersion: 1.6.0\n",
            self.version
        )
    }

    fn installers(&self) -> Result<String> {
        let mut text = "InstallerType: zip\nNestedInstallerType: portable\nInstallers:\n".to_owned();
        for (architecture, target) in [("x64", "x86_64-pc-windows-msvc"), ("arm64", "aarch64-pc-windows-msvc")] {
            let (url, sum) = self.archive(target, "zip")?;
            let folder = format!("utf8-v{}-{target}", self.version);
            text += &format!(
                "- Architecture: {architecture}\n  InstallerUrl: {url}\n  InstallerSha256: {}\n  \
                 NestedInstallerFiles:\n  - RelativeFilePath: {folder}\\utf8.exe\n    PortableCommandAlias: utf8\n",
                sum.to_ascii_uppercase()
            );
        }
        Ok(text)
    }
}

fn locale() -> String {
    format!(
        "PackageLocale: en-US\nPublisher: utf8kit\nPackageName: utf8kit\n\
         PackageUrl: https://github.com/utf8kit/utf8kit\nLicense: MIT OR Apache-2.0\n\
         ShortDescription: {DESCRIPTION}\nMoniker: utf8\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root;

    fn read(path: &str) -> String {
        fs::read_to_string(root().join(path)).expect("a file of the repository")
    }

    /// Returns the names of the archives in a release, according to release.yml.
    fn released() -> Vec<String> {
        let workflow = read(".github/workflows/release.yml");
        let command = workflow.split("\n  wheels:").next().expect("the job before");
        let targets = command.lines().filter_map(|line| line.trim().strip_prefix("- { target: "));
        let targets = targets.map(|rest| rest.split(',').next().unwrap_or(rest));
        let suffix = |target: &str| if target.contains("windows") { "zip" } else { "tar.gz" };
        targets.map(|target| format!("utf8-v1.2.3-{target}.{}", suffix(target))).collect()
    }

    #[test]
    fn every_manifest_names_released_archives() {
        let released = released();
        assert_eq!(released.len(), 8);
        let sum = |index: usize| format!("{index:02}").repeat(32);
        let sums: String =
            released.iter().enumerate().map(|(index, name)| format!("{}  {name}\n", sum(index))).collect();
        let manifests = Archives::new("1.2.3", &sums).manifests().expect("all archives are there");
        let all: String = manifests.iter().map(|(_, text)| text.as_str()).collect();
        for (index, name) in released.iter().enumerate() {
            // Homebrew on Linux gets the musl build, which needs no libraries.
            let is_wanted = !name.contains("linux-gnu");
            assert_eq!(all.contains(&format!("{DOWNLOADS}/v1.2.3/{name}")), is_wanted, "{name}");
            assert_eq!(all.contains(&sum(index)), is_wanted, "{name}");
        }
        let names: Vec<_> = manifests.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names[1], "winget/utf8kit.utf8kit.yaml");
        assert!(!all.contains("{{") && all.contains("#{bin}/utf8"), "{all}");
        assert!(Archives::new("1.2.3", &sums.replace("x86_64-apple", "i686-apple")).manifests().is_err());
        assert!(Archives::new("1.2.4", &sums).manifests().is_err());
        assert!(Archives::new("1.2.3", &sums.replace("07  ", "  ")).manifests().is_err());
    }

    #[test]
    fn other_installers_name_them_too() {
        let (manifest, released) = (read("crates/utf8kit-cli/Cargo.toml"), released());
        let urls = manifest.lines().filter_map(|line| line.strip_prefix("pkg-url = "));
        let names: Vec<_> = urls.filter_map(|url| url.trim_matches('"').rsplit('/').next()).collect();
        assert_eq!(names.len(), 3, "cargo-binstall: one for all, and two for Windows");
        let script = read(".github/fetch.sh");
        for name in &released {
            let target = name.trim_start_matches("utf8-v1.2.3-").trim_end_matches(".zip").trim_end_matches(".tar.gz");
            let expand = |pattern: &&str| {
                let name = pattern.replace("{ version }", "1.2.3").replace("{ target }", target);
                name.replace("{ bin }", "utf8")
            };
            assert!(names.iter().map(expand).any(|expanded| expanded == *name), "{name}");
            assert_eq!(script.contains(&format!("target={target} ")), !target.contains("linux-gnu"), "{target}");
            if target.contains("windows") {
                assert!(manifest.contains(&format!("[package.metadata.binstall.overrides.{target}]")));
            }
        }
    }

    #[test]
    fn releases_unwind_and_read_parquet() {
        // The crate `parquet` panics on some damaged files, which utf8kit-parquet catches.
        assert!(!read("Cargo.toml").contains("panic = \"abort\""));
        let workflow = read(".github/workflows/release.yml");
        let builds: Vec<_> = workflow.lines().filter(|line| line.contains("cargo build")).collect();
        assert!(builds.iter().all(|line| !line.contains("utf8kit-cli") || line.contains("--features parquet")));
        assert!(workflow.contains("cargo deb --package utf8kit-cli --no-build"), "the same program");
        assert!(read("python/Cargo.toml").contains("features = [\"parquet\"]"));
    }
}
