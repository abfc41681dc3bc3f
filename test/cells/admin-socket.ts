import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { MAP_NAMES } from '../../src/cells/maps.rules.ts'

/** The admin socket of a proxy, as far as `sync` speaks to it; answers can be held back. */
export type AdminSocket = {
  path: string
  /** What a map says of a mark. */
  cellOf(map: (typeof MAP_NAMES)[number], mark: string): string | undefined
  /** The next answer waits until it is let go; resolves when somebody waits for it. */
  holdNext(): { isAsked: Promise<void>; letGo: () => void }
}

export async function startAdminSocket(t: Pick<TestContext, 'after'>): Promise<AdminSocket> {
  const folder = await mkdtemp(join(tmpdir(), 'bursar-admin-'))
  const path = join(folder, 'admin.sock')
  const maps = MAP_NAMES.map(() => new Map<string, string>())
  let hold: { asked: () => void; until: Promise<void> } | null = null
  const obey = (command: string): string => {
    const [verb = '', , number = '', mark = '', cell = ''] = command.split(' ')
    const map = maps[Number(number.slice(1))]
    if (command === 'show map')
      return MAP_NAMES.map((name, index) => `${index} (/maps/${name}.map) pattern loaded\n`).join('')
    if (command === 'show backend') return 'north\nsouth\n'
    if (verb === 'show') return [...(map ?? [])].map(entry => `0x1 ${entry.join(' ')}\n`).join('')
    if (verb === 'del') map?.delete(mark)
    else map?.set(mark, cell)
    return ''
  }
  const server = createServer(socket => {
    socket.on('error', () => {})
    const answer = async (chunk: Buffer): Promise<void> => {
      const held = hold
      hold = null
      held?.asked()
      await held?.until
      socket.end(chunk.toString().trim().split(';').map(obey).join(''))
    }
    socket.once('data', (chunk: Buffer) => void answer(chunk))
  })
  server.listen(path)
  await once(server, 'listening')
  t.after(async () => {
    server.close()
    await rm(folder, { recursive: true, force: true })
  })
  return {
    path,
    cellOf: (name, mark) => maps[MAP_NAMES.indexOf(name)]?.get(mark),
    holdNext() {
      const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>()
      const { promise: until, resolve: letGo } = Promise.withResolvers<void>()
      hold = { asked, until }
      return { isAsked, letGo }
    },
  }
}
