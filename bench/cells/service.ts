import { readConfig } from '../../src/app/config.ts'
import { openDatabase } from '../../src/app/open-database.ts'
import { CellConnections, openCellDatabase } from '../../src/cells/connections.ts'
import { addCell, placeSchool } from '../../src/cells/directory.service.ts'
import { syncOnce } from '../../src/cells/maps.service.ts'
import { createKey } from '../../src/institutes/keys.service.ts'
import type { Context } from '../../src/platform/context.ts'
import { prepareProxy, WITHOUT_HAPROXY, type TestProxy } from '../../test/cells/proxy.ts'
import { TEST_MASTER_KEY } from '../../test/harness/bursar.ts'
import { waitFor } from '../../test/harness/wait.ts'
import { headersOf } from '../figures.ts'
import { ORDERS_PATH } from '../orders.ts'
import { liftRateLimit, openCluster, Servers, type Server } from '../rig.ts'

/** A cell with a school, whose ERP sends these headers. */
export type BenchCell = { server: Server; headers: Record<string, string> }

/** Cells on a PostgreSQL server each, with a school each, behind the HAProxy of deploy/. */
export type Service = { cells: readonly BenchCell[]; proxy: TestProxy; close(): Promise<void> }

const NAMES = ['north', 'south'] as const

export async function openService(): Promise<Service> {
  if (WITHOUT_HAPROXY !== false) throw new Error(WITHOUT_HAPROXY)
  const ends: (() => Promise<void> | void)[] = []
  const close = async (): Promise<void> => {
    for (const end of ends.toReversed()) await end()
  }
  const owner = { after: (end: () => Promise<void> | void) => void ends.push(end) }
  try {
    const clusters = await Promise.all(NAMES.map(() => openCluster()))
    ends.push(...clusters.map(cluster => () => cluster.close()))
    const urls = await Promise.all(clusters.map(cluster => cluster.makeEmpty('cell')))
    const proxy = await prepareProxy(owner)
    const common = { MASTER_KEY: TEST_MASTER_KEY, DEMO: 'off', LOG_LEVEL: 'warn' }
    // All payers come from one address.
    const open = { PUBLIC_RATE: '100000', PUBLIC_BURST: '100000', TRUST_PROXY: '127.0.0.1' }
    const { ctx } = await openDatabase(readConfig({ ...common, DATABASE_URL: urls[0] ?? '' }))
    owner.after(() => ctx.db.close())
    const connections = new CellConnections(ctx)
    owner.after(() => connections.close())
    for (const [index, name] of NAMES.entries())
      await addCell(ctx, { name, addresses: ['127.0.0.1:1'], databaseUrl: urls[index] ?? '' })
    const servers = new Servers()
    owner.after(() => servers.close())
    const cells: BenchCell[] = []
    for (const [index, name] of NAMES.entries()) {
      const [cluster, databaseUrl = ''] = [clusters[index]!, urls[index]]
      const headers = await placeSchoolIn(ctx, connections, name, databaseUrl)
      const env = { ...common, ...open, LOG_LEVEL: 'info', CELL: name, PUBLIC_URL: proxy.url }
      const server = await servers.startBursar(cluster, databaseUrl, env)
      await addCell(ctx, { name, addresses: [new URL(server.origin).host], databaseUrl })
      cells.push({ server, headers })
    }
    await syncOnce(ctx, connections, { folder: proxy.maps, sockets: [] })
    await proxy.start()
    for (const { headers } of cells)
      await waitFor(
        async () => (await fetch(`${proxy.url}${ORDERS_PATH}`, { headers })).status === 200,
        'a cell behind the proxy',
      )
    return { cells, proxy, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function placeSchoolIn(
  ctx: Context,
  connections: CellConnections,
  cell: string,
  databaseUrl: string,
): Promise<BenchCell['headers']> {
  const code = `${cell}-school`
  const branches = [{ collectorCode: 'MAIN', name: 'Main branch' }]
  await placeSchool(ctx, connections, { cell, code, name: code, strictCatalogue: false, branches })
  const db = openCellDatabase(databaseUrl)
  try {
    const { keyId, secret } = await createKey({ ...ctx, db }, code, {
      label: 'ERP',
      scopes: ['read', 'write'],
    })
    await liftRateLimit(databaseUrl)
    return headersOf(keyId, secret)
  } finally {
    await db.close()
  }
}
