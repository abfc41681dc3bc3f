/** What a migration does, as far as its SQL and the sizes of its tables tell. */
export type UpgradeStep = { statement: string; seconds: number; bytes: number }

/** How much of a table a statement goes through. */
type Effort = 'none' | 'reads' | 'indexes' | 'rewrites'

/** Bytes a second of a small machine, rather too few than too many; and what is written for each byte of the table. */
const EFFORTS: Readonly<Record<Effort, { speed: number; growth: number }>> = {
  none: { speed: Infinity, growth: 0 },
  reads: { speed: 100e6, growth: 0 },
  indexes: { speed: 30e6, growth: 0.5 },
  // The rows once more, and once in the log of the server.
  rewrites: { speed: 15e6, growth: 2 },
}
const LEAST_SECONDS = 0.05
const LONGEST_SUMMARY = 90

export function estimateSteps(sql: string, tableBytes: ReadonlyMap<string, number>): UpgradeStep[] {
  return splitStatements(sql).map(statement => {
    const { table, effort } = judge(statement)
    const { speed, growth } = EFFORTS[effort]
    const bytes = tableBytes.get(table) ?? 0
    return {
      statement: summarise(statement),
      seconds: LEAST_SECONDS + bytes / speed,
      bytes: Math.round(bytes * growth),
    }
  })
}

/** Comments, texts and bodies of functions in one piece each: a semicolon in them ends nothing. */
const PIECES = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|(\$\w*\$)[\s\S]*?\1|;|[\s\S]/g

function splitStatements(sql: string): string[] {
  const statements = ['']
  for (const [piece] of sql.matchAll(PIECES)) {
    if (piece === ';') statements.push('')
    else if (!/^(?:--|\/\*)/.test(piece)) statements.push(`${statements.pop() ?? ''}${piece}`)
  }
  return statements.map(text => text.replaceAll(/\s+/g, ' ').trim()).filter(text => text !== '')
}

function judge(statement: string): { table: string; effort: Effort } {
  const index = /^create (?:unique )?index .*? on (?:only )?(\w+)/i.exec(statement)?.[1]
  if (index !== undefined) return { table: index, effort: 'indexes' }
  const changed =
    /^update (?:only )?(\w+)/i.exec(statement)?.[1] ??
    /^delete from (?:only )?(\w+)/i.exec(statement)?.[1] ??
    /^insert into .*? from (\w+)/i.exec(statement)?.[1]
  if (changed !== undefined) return { table: changed, effort: 'rewrites' }
  const [, table = '', change = ''] = /^alter table (?:only )?(\w+) (.*)$/i.exec(statement) ?? []
  return { table, effort: effortOf(change) }
}

function effortOf(change: string): Effort {
  if (/\balter (?:column )?\w+ (?:set data )?type\b|\bgenerated always as \(.*\) stored/i.test(change))
    return 'rewrites'
  // A default that is computed stands in each row; a constant one does not.
  if (/\badd (?:column )?\w+ .*\bdefault [\w.]+\(/i.test(change)) return 'rewrites'
  if (/\badd (?:constraint \w+ )?(?:unique|primary key|exclude)\b/i.test(change)) return 'indexes'
  if (/\badd (?:constraint \w+ )?(?:check|foreign key)\b|\bset not null\b|\bvalidate\b/i.test(change))
    return 'reads'
  return 'none'
}

function summarise(statement: string): string {
  const [head] = /^create table (?:if not exists )?\w+/i.exec(statement) ?? [statement]
  return head.length <= LONGEST_SUMMARY ? head : `${head.slice(0, LONGEST_SUMMARY - 1)}…`
}
