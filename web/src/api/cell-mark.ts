/**
 * Where several installations are one service, a proxy finds the one that keeps a school by the code in the path. Calls
 * without one carry the school whose console this tab is, so that two tabs may work in two installations.
 */
const STORED = 'bursar.at'

export function markOf(path: string): Record<string, string> {
  if (path.startsWith('/institutes/')) return {}
  const mark = readMark()
  return mark === null ? {} : { 'bursar-at': mark }
}

/** The school that the address names, or the tab or browser was at last; a link may name it as `at`. */
function readMark(): string | null {
  const [, institute] = /^\/console\/i\/([a-z0-9-]+)/.exec(location.pathname) ?? []
  const named = institute ?? new URLSearchParams(location.search).get('at')
  if (named === null) return sessionStorage.getItem(STORED) ?? localStorage.getItem(STORED)
  sessionStorage.setItem(STORED, named)
  localStorage.setItem(STORED, named)
  return named
}
