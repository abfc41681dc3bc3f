import type pg from 'pg'

/** A count, and what it should be of so many. */
export type Check = [name: string, text: string, wanted: (total: number) => number]

/** What is not as it should be in the books. */
export async function findFaults(
  client: pg.Client,
  checks: readonly Check[],
  total: number,
): Promise<string[]> {
  const faults: string[] = []
  for (const [name, text, wanted] of checks) {
    const { rows } = await client.query<{ count: string }>(text)
    const count = Number(rows[0]?.count)
    if (count !== wanted(total)) faults.push(`${name}: ${count} instead of ${wanted(total)}`)
  }
  return faults
}
