// Without a connection, pages below its scope are answered by one page that says so and holds nothing of anybody.
// Nothing else is kept, and a page that was kept is never shown in place of one that the server can answer.
const { searchParams } = new URL(self.location.href)
const OFFLINE = `/brand/${searchParams.get('school')}/offline/${searchParams.get('lang')}`

async function keepOffline() {
  const kept = await caches.open(OFFLINE)
  await kept.add(new Request(OFFLINE, { cache: 'reload', credentials: 'omit' }))
}

async function dropOthers() {
  const names = await caches.keys()
  await Promise.all(names.filter(name => name !== OFFLINE).map(name => caches.delete(name)))
}

async function answer(request) {
  try {
    return await fetch(request)
  } catch {
    return (await caches.match(OFFLINE)) ?? Response.error()
  }
}

self.addEventListener('install', event => {
  self.skipWaiting()
  event.waitUntil(keepOffline())
})
self.addEventListener('activate', event => event.waitUntil(dropOthers()))
self.addEventListener('fetch', event => {
  const { request } = event
  if (request.mode === 'navigate' && request.method === 'GET') event.respondWith(answer(request))
})
