// The service worker: keeps the files of the page, so that it works without a connection. The build puts VERSION and
// FILES before this.
addEventListener('install', (event) => {
  event.waitUntil(caches.open(VERSION).then((cache) => cache.addAll(FILES)));
  skipWaiting();
});

addEventListener('activate', (event) => {
  const old = caches.keys().then((all) => all.filter((name) => name !== VERSION));
  event.waitUntil(old.then((names) => Promise.all(names.map((name) => caches.delete(name)))));
});

addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET' || new URL(request.url).origin !== location.origin) return;
  // The page itself comes from the network if possible, because its files have versioned names.
  const kept = () => caches.match(request, { ignoreSearch: true, ignoreVary: true });
  const fetched = () =>
    fetch(request).then((answer) => {
      const copy = answer.clone();
      if (answer.ok) event.waitUntil(caches.open(VERSION).then((cache) => cache.put(request, copy)));
      return answer;
    });
  event.respondWith(
    request.mode === 'navigate'
      ? fetched().catch(() => kept().then((page) => page ?? caches.match('./')))
      : kept().then((file) => file ?? fetched()),
  );
});
