import type { FastifyInstance } from 'fastify'
import { type CellStatus, lookAtCells } from './status.service.ts'
import { addOperatorRead } from '../console/auth/access.routes.ts'
import { all } from '../http/reply.ts'
import { outputOf, type Shown } from '../http/wire/output.ts'
import type { Context } from '../platform/context.ts'

const cell = outputOf<CellStatus>()
const cellOutput = cell.object({
  name: cell.text('Name of the cell.', 'north'),
  state: cell.oneOf(
    ['open', 'draining', 'away'],
    'Whether it answers and takes new schools.',
    ({ isAway, isDraining }) => (isAway ? 'away' : isDraining ? 'draining' : 'open'),
  ),
  reason: cell.optional.text('Why it is away.', 'connect ECONNREFUSED 10.1.0.5:5432', source =>
    source.isAway ? source.reason : undefined,
  ),
  schools: cell.optional.integer('Schools that live there.', 412, source =>
    source.isAway ? undefined : source.schools,
  ),
  students: cell.optional.integer('Their students.', 310_000, source =>
    source.isAway ? undefined : source.students,
  ),
  payments_today: cell.optional.integer('Payments captured today.', 5_210, source =>
    source.isAway ? undefined : source.paymentsToday,
  ),
  due: cell.optional.integer('Work that is due.', 12, source => (source.isAway ? undefined : source.due)),
  stopped_moves: cell.texts(
    'Moves of schools from here that have not ended and that nobody works on: what stopped, and what to type.',
    [
      'green-park works in north; its move to south stopped at catch_up. Go on: bursar cells move green-park --to south; or end it: bursar cells move green-park --to south --back',
    ],
    ({ stoppedMoves }) => stoppedMoves,
  ),
  version: cell.optional.text('Of its processes that are connected.', '0.1.0', source =>
    source.isAway ? undefined : source.versions.join(', '),
  ),
})

export type CellAnswer = Shown<typeof cellOutput>

/** What `bursar cells status` says, in the cell that keeps the directory; nothing in any other. */
export function cellRoutes(app: FastifyInstance, ctx: Context): void {
  let underWay: Promise<CellStatus[]> | null = null
  addOperatorRead(app, ctx, {
    url: '/cells',
    output: all(cellOutput),
    // It asks other databases, so requests at the same time share one look.
    async answer() {
      underWay ??= lookAtCells(ctx).finally(() => (underWay = null))
      return underWay
    },
  })
}
