/** JSON as YAML 1.2 in block style; texts are in double quotes, in which YAML reads what JSON writes. */
export function toYaml(value: unknown): string {
  return `${lines(value).join('\n')}\n`
}

function lines(value: unknown): string[] {
  if (Array.isArray(value))
    return value.length === 0 ? ['[]'] : value.flatMap(item => hang('- ', lines(item)))
  if (typeof value !== 'object' || value === null) return [JSON.stringify(value)]
  const entries = Object.entries(value).filter(([, field]) => field !== undefined)
  return entries.length === 0 ? ['{}'] : entries.flatMap(([key, field]) => entry(toKey(key), field))
}

function entry(key: string, value: unknown): string[] {
  const below = lines(value)
  const isBlock = typeof value === 'object' && value !== null && Object.keys(value).length > 0
  return isBlock ? [`${key}:`, ...below.map(line => `  ${line}`)] : [`${key}: ${below[0]}`]
}

function hang(mark: string, [first = '', ...rest]: string[]): string[] {
  return [mark + first, ...rest.map(line => `  ${line}`)]
}

/** Words that an older reader takes for a flag or for nothing, and numbers, are no plain keys. */
function toKey(key: string): string {
  const isPlain = /^[A-Za-z_$][\w$-]*$/.test(key) && !/^(?:y|n|yes|no|on|off|true|false|null)$/i.test(key)
  return isPlain ? key : JSON.stringify(key)
}
