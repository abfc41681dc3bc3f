import { CellConnections } from '../../../src/cells/connections.ts'
import { addCell } from '../../../src/cells/directory.service.ts'
import { type Proxies, syncOnce } from '../../../src/cells/maps.service.ts'
import { moveToCell } from '../../../src/cells/moves.service.ts'
import type { Move } from '../../../src/cells/move/moves.store.ts'
import type { TestProxy } from '../proxy.ts'
import type { TwoCells } from './two-cells.ts'

/** Two cells in one directory, which the first keeps, behind a real proxy. */
export type Joined = {
  connections: CellConnections
  proxies: Proxies
  move(code: string, to: string): Promise<Move>
}

type Owner = { after(done: () => Promise<void> | void): void }

/** The proxy is started when its maps are there. */
export async function joinCells(owner: Owner, cells: TwoCells, proxy: TestProxy): Promise<Joined> {
  const { ctx } = cells.north.bursar.app
  for (const { name, address, bursar } of [cells.north, cells.south])
    await addCell(ctx, { name, addresses: [new URL(bursar.url).host], databaseUrl: address })
  const connections = new CellConnections(ctx)
  owner.after(() => connections.close())
  const proxies = { folder: proxy.maps, sockets: [proxy.socket] }
  await syncOnce(ctx, connections, { ...proxies, sockets: [] })
  await proxy.start()
  return {
    connections,
    proxies,
    move: (code, to) =>
      moveToCell(ctx, { code, to, isBack: false, longestPauseMs: 30_000 }, proxies, () => {}),
  }
}
