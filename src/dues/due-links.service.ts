import type { Institute } from '../institutes/institutes.rules.ts'
import { countMessagesAboutEach } from '../messages/messages.service.ts'
import { sendLinks, waysTo } from '../orders/link-messages.service.ts'
import type { SendChannel } from '../orders/link-messages.texts.ts'
import { closeUnpaid, openOrders } from '../orders/order-payments.service.ts'
import { type Order, orderFor } from '../orders/orders.rules.ts'
import { listPayable } from '../orders/orders.service.ts'
import type { PaymentContext } from '../payments/context.ts'
import { heldUntil } from '../payments/payments.rules.ts'
import { giveUpStarted } from '../payments/start/start-payment.service.ts'
import { alreadyOnTheWay } from '../payments/on-the-way.rules.ts'
import {
  listOnTheWay,
  listStarted,
  type OnTheWay,
  type StudentPayment,
} from '../payments/student-payments.service.ts'
import { DAY_MS, dayOf } from '../platform/calendar.ts'
import type { Transaction } from '../platform/db/database.ts'
import type { Language } from '../platform/languages.ts'
import { holdStudents } from '../students/profile/lock-student.service.ts'
import { overlap, withoutClosed, withoutTaken, type Share } from './dues.rules.ts'
import { readClosed } from '../payments/parts/parts.service.ts'
import { readDuesOn, type Dues } from './dues.service.ts'
import { insertDuesOrders, readDuesOrders, type DuesOrder } from './dues.store.ts'
import { rivalsOf } from './on-the-way.service.ts'
import { asksTheSame, linesOf, shareFor, type LinkScope } from './due-links.rules.ts'

export type WantedLinks = {
  asked: LinkScope
  /** How families are told; none: the links are only made. */
  channels: readonly SendChannel[]
  language: Language | null
}

/** An order that was made, or one that asks for the same and was sent. */
type DueLink = { studentId: string; order: Order; isNew: boolean }
export type DueLinks = { links: DueLink[]; leftOut: { id: string; name: string; why: string }[] }

/**
 * A link of each student for what it owes, in the caller's transaction; a dozen statements however many. Who has an open
 * link for the same gets no second one, so that it can be repeated.
 */
export async function openDueLinks(
  tx: Transaction,
  ctx: Pick<PaymentContext, 'clock' | 'publicUrl' | 'accounts'>,
  { institute, studentIds }: { institute: Institute; studentIds: readonly string[] },
  { asked, channels, language }: WantedLinks,
): Promise<DueLinks> {
  const now = ctx.clock.now()
  const ids = [...new Set(studentIds)]
  const known = await readAll(tx, institute.id, ids, now)
  const dues = await withoutUnchargeable(ctx, institute.id, known.dues)
  const judged = ids.map(id => ({ id, ...judge({ ...known, dues }, id, { asked, channels, now }) }))
  const links = judged.flatMap(({ id, link }) => (link === null ? [] : [{ studentId: id, ...link }]))
  await replace(tx, institute.id, links, now)
  if (channels.length > 0) {
    const orders = links.map(({ order }) => order)
    await sendLinks(tx, { institute, publicUrl: ctx.publicUrl, at: now }, orders, { channels, language })
  }
  const leftOut = judged.flatMap(({ id, why }) => {
    return why === null ? [] : [{ id, name: known.dues.get(id)?.context.student.fullname ?? id, why }]
  })
  return { links: links.map(({ studentId, order, isNew }) => ({ studentId, order, isNew })), leftOut }
}

/** No link asks for what cannot be paid online. */
async function withoutUnchargeable(
  ctx: Pick<PaymentContext, 'accounts'>,
  instituteId: number,
  known: ReadonlyMap<string, Dues>,
): Promise<Map<string, Dues>> {
  const isClosed = await readClosed(ctx, instituteId, [...known.values()].map(branchOf))
  return new Map(
    [...known].map(([id, one]) => [id, withoutClosed(one, type => isClosed(branchOf(one), type))]),
  )
}

const branchOf = ({ context }: Dues): string => context.student.collectorCode

type StudentsSituation = {
  dues: Map<string, Dues>
  onTheWay: Map<string, OnTheWay[]>
  started: Map<string, StudentPayment[]>
  open: Map<string, Order[]>
  made: Map<string, DuesOrder>
  /** How often the payer of each order was told within a day. */
  told: Map<string, number>
}

async function readAll(
  tx: Transaction,
  instituteId: number,
  ids: readonly string[],
  now: Date,
): Promise<StudentsSituation> {
  const keys = ids.map(studentId => ({ instituteId, studentId }))
  await holdStudents(tx, keys)
  const dues = await readDuesOn(tx, keys, dayOf(now))
  const open = await listPayable(tx, instituteId, ids, now)
  const orderIds = open.map(({ id }) => id)
  const since = new Date(now.getTime() - DAY_MS)
  const [onTheWay, started] = [
    await listOnTheWay(tx, instituteId, ids),
    await listStarted(tx, instituteId, ids),
  ]
  return {
    dues,
    onTheWay: Map.groupBy(onTheWay, payment => payment.studentId),
    started: Map.groupBy(started, payment => payment.studentId),
    open: Map.groupBy(open, order => order.studentId ?? ''),
    made: await readDuesOrders(tx, instituteId, orderIds),
    told: await countMessagesAboutEach(tx, instituteId, { about: orderIds, since }),
  }
}

type Link = {
  order: Order
  isNew: boolean
  lateFees: Share['lateFees']
  /** Open orders of its dues that the new one takes the place of, and payments of them that lapsed. */
  closes: readonly string[]
  givesUp: readonly string[]
}
type LinkDecision = { link: Link; why: null } | { link: null; why: string }

function judge(
  { dues: all, onTheWay, started: starts, open: orders, made, told }: StudentsSituation,
  id: string,
  { asked, channels, now }: Pick<WantedLinks, 'asked' | 'channels'> & { now: Date },
): LinkDecision {
  const dues = all.get(id)
  if (dues === undefined) return leftOut('It was not found.')
  const { student } = dues.context
  const [taken = [], started = [], open = []] = [onTheWay.get(id), starts.get(id), orders.get(id)]
  if (student.status !== 'active') return leftOut('The student has left the school.')
  const pending = taken.filter(payment => payment.orderKind === 'student')
  if (pending.length > 0) return leftOut(alreadyOnTheWay(pending).message)
  const { share, why } = shareFor(withoutTaken(dues, taken), asked)
  if (share === null) {
    const isTaken = taken.length > 0 && shareFor(dues, asked).share !== null
    return leftOut(isTaken ? alreadyOnTheWay(taken).message : why)
  }
  const order = orderFor(student, { kind: 'student', lines: linesOf(share), at: now })
  const own = open.filter(one => one.kind === 'student')
  if (open.some(one => one.kind !== 'student' && overlap(one.lines, order.lines)))
    return leftOut(
      'An open link or pay order for the same fees was made before. Cancel it to make a new one.',
    )
  const rivals = rivalsOf(started, order)
  if (rivals.some(payment => heldUntil(payment) > now))
    return leftOut('Somebody is at the bank’s page to pay these fees.')
  if (channels.length > 0 && waysTo(order, channels).length === 0)
    return leftOut('There is no address or number that a link can be sent to.')
  const same = own.find(one => isLink(one, made) && asksTheSame(one.lines, order.lines))
  if (same !== undefined) {
    if (channels.length === 0) return leftOut('It has an open link for the same dues.')
    if ((told.get(same.id) ?? 0) > 0) return leftOut('The family was told of its link within the last day.')
    return { link: { order: same, isNew: false, lateFees: [], closes: [], givesUp: [] }, why: null }
  }
  const others = new Set(started.filter(payment => !rivals.includes(payment)).map(({ orderId }) => orderId))
  const closes = own.flatMap(one => (others.has(one.id) ? [] : [one.id]))
  const givesUp = rivals.map(({ paymentId }) => paymentId)
  return { link: { order, isNew: true, lateFees: share.lateFees, closes, givesUp }, why: null }
}

/** Not one that a parent opened on the parents' pages, which leads back there, perhaps with a sibling's. */
function isLink({ id, callbackUrl }: Order, made: ReadonlyMap<string, DuesOrder>): boolean {
  return callbackUrl === null && (made.get(id)?.groupId ?? null) === null
}

function leftOut(why: string): LinkDecision {
  return { link: null, why }
}

async function replace(
  tx: Transaction,
  instituteId: number,
  links: readonly (Link & { studentId: string })[],
  now: Date,
): Promise<void> {
  const made = links.filter(link => link.isNew)
  await closeUnpaid(
    tx,
    instituteId,
    made.flatMap(link => link.closes),
    now,
  )
  await giveUpStarted(
    tx,
    instituteId,
    made.flatMap(link => link.givesUp),
    now,
  )
  await openOrders(
    tx,
    made.map(({ order }) => ({ instituteId, order })),
  )
  const rows = made.map(({ studentId, order, lateFees }) => {
    return { instituteId, studentId, orderId: order.id, lateFees, payer: null, groupId: null }
  })
  if (rows.length > 0) await insertDuesOrders(tx, rows)
}
