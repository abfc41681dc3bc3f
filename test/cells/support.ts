import type { TestContext } from 'node:test'
import { CellConnections } from '../../src/cells/connections.ts'
import { addCell } from '../../src/cells/directory.service.ts'
import { startBursar, type TestBursar } from '../harness/bursar.ts'
import { emptyDatabase } from '../harness/postgres/databases.ts'

export type TestCells = {
  /** Keeps the directory. */
  north: TestBursar
  south: TestBursar
  southDatabase: string
  connections: CellConnections
}

/** Two Bursars, each on a database of its own, in one directory. */
export async function startCells(t: TestContext, env: Record<string, string> = {}): Promise<TestCells> {
  // What was begun last is ended first: the databases outlive those who use them.
  const ends: (() => Promise<void> | void)[] = []
  t.after(async () => {
    for (const end of ends.toReversed()) await end()
  })
  const owner = { after: (end: () => Promise<void> | void) => void ends.push(end) }
  const north = await startBursar(owner, { ...env, CELL: 'north' })
  const { ctx, config } = north.app
  await addCell(ctx, { name: 'north', addresses: [hostOf(north)], databaseUrl: config.databaseUrl ?? '' })
  const southDatabase = await emptyDatabase(owner)
  // Before its first start, so that its ids begin where they should; where it listens is known after it.
  const cell = { name: 'south', databaseUrl: southDatabase }
  await addCell(ctx, { ...cell, addresses: ['127.0.0.1:1'] })
  const south = await startBursar(owner, { ...env, CELL: 'south', DATABASE_URL: southDatabase })
  await addCell(ctx, { ...cell, addresses: [hostOf(south)] })
  const connections = new CellConnections(ctx)
  owner.after(() => connections.close())
  return { north, south, southDatabase, connections }
}

function hostOf({ url }: TestBursar): string {
  return new URL(url).host
}
