import { isUnavailable } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { CellConnections } from '../../cells/connections.ts'
import { InputError } from '../terminal.ts'
import { describeFailure, withContext } from '../with-database.ts'

/** Does what withContext does for the cell that keeps the directory, with a clear error if it is away. */
export async function withDirectory(work: (ctx: Context) => Promise<void>): Promise<void> {
  let isOpen = false
  try {
    await withContext(async ctx => {
      isOpen = true
      await work(ctx)
    })
  } catch (error) {
    if (isOpen || !isUnavailable(error)) throw error
    throw new InputError(
      `The cell that keeps the directory is away. ${describeFailure(error)}\n` +
        'The proxies go on with the maps that they have, so all other cells work. What changes the directory (add, drain, remove, place, move, forget, sync) waits until it answers; nothing was changed.',
      { cause: error },
    )
  }
}

export async function withConnections(
  work: (ctx: Context, connections: CellConnections) => Promise<void>,
): Promise<void> {
  await withDirectory(async ctx => {
    const connections = new CellConnections(ctx)
    try {
      await work(ctx, connections)
    } finally {
      await connections.close()
    }
  })
}
