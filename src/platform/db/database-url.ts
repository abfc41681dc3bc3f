/**
 * A DATABASE_URL as libpq reads it: several hosts stand behind each other, each with a port of its own or the standard
 * one. Answers a URL for each of them.
 */
export function splitDatabaseUrl(url: string): string[] {
  const scheme = /^postgres(?:ql)?:\/\//.exec(url)?.[0]
  if (scheme === undefined) return [url]
  const end = url.slice(scheme.length).search(/[/?]/)
  const authority = end < 0 ? url.slice(scheme.length) : url.slice(scheme.length, scheme.length + end)
  const rest = url.slice(scheme.length + authority.length)
  const at = authority.lastIndexOf('@') + 1
  const hosts = authority.slice(at).split(',')
  return hosts.map(host => `${scheme}${authority.slice(0, at)}${host}${withoutTarget(rest)}`)
}

/** Bursar always wants the server that takes writes, and the driver does not know the parameter. */
function withoutTarget(rest: string): string {
  if (!rest.includes('target_session_attrs=')) return rest
  const [path = '', query] = rest.split('?', 2)
  const words = new URLSearchParams(query)
  words.delete('target_session_attrs')
  return words.size === 0 ? path : `${path}?${words.toString()}`
}

/** What keeps it from being used, in words; null if nothing. */
export function databaseUrlProblem(url: string): string | null {
  const target = /[?&]target_session_attrs=([^&]*)/.exec(url)?.[1]
  if (target !== undefined && target !== 'read-write' && target !== 'primary')
    return `DATABASE_URL asks for target_session_attrs=${target}; Bursar writes: leave it out, or say read-write.`
  const urls = splitDatabaseUrl(url)
  if (urls.length > 1 && urls.some(one => !URL.parse(one)?.host))
    return 'DATABASE_URL names several hosts as postgres://user:password@host1:5432,host2:5432/database.'
  return null
}
