import { type Institute, totalOf, type ApprovalLimits } from '../../institutes/institutes.rules.ts'
import {
  giveAlone,
  readApprovalLimits,
  writeApprovalLimits,
  getInstitutesById,
} from '../../institutes/institutes.service.ts'
import { queueMessages } from '../../messages/messages.service.ts'
import type { ConsoleContext } from '../context.ts'
import { assert } from '../../platform/assert.ts'
import type { Context } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { badField, conflict, notFound } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { newId } from '../../platform/ids.ts'
import { takeDue } from '../../platform/jobs/due-rows.ts'
import { formatRupees, ZERO } from '../../platform/money.ts'
import { recordAudit } from '../audit/audit.service.ts'
import type { Origin, Who } from '../console.rules.ts'
import { emailsOf } from '../team/invitations.service.ts'
import { ACTS } from './acts.ts'
import {
  assertDecidable,
  expiryOf,
  MOST_WAITING,
  type Approval,
  type ApprovalAct,
  type Effect,
} from './approvals.rules.ts'
import type { ActTarget, GuardedAct, Weight } from './guarded-act.ts'
import { askedMessages, decidedMessages } from './approvals.texts.ts'
import * as store from './approvals.store.ts'

export type DecidedBy = { institute: Institute; who: Who; origin: Origin }

/** Stands in for an act's result while it waits for a second person. */
export class Kept {
  readonly approval: Approval

  constructor(approval: Approval) {
    this.approval = approval
  }
}

type AnyAct = GuardedAct<{ reason: string }, unknown, unknown>

/** Acts are stored by name; the request of a name is always what that act takes. */
function actOf(name: ApprovalAct): AnyAct {
  return ACTS[name]
}

type ActRequest<Request> = { name: ApprovalAct; about: string; request: Request }

/** Thrown inside the transaction of an act, which it undoes. */
class NeedsSecondPerson extends Error {
  override readonly name = 'NeedsSecondPerson'
  readonly weight: Weight

  constructor(weight: Weight) {
    super('this is more than one person may give away')
    this.weight = weight
  }
}

/** Does it, or keeps it for a second person where it gives away more than the institute lets one person give. */
export async function performOrKeep<Request extends { reason: string }, Result>(
  ctx: ConsoleContext,
  command: Command<Result | Kept>,
  by: DecidedBy,
  { name, about, request }: ActRequest<Request>,
): Promise<Result | Kept> {
  const { institute, who } = by
  const act = actOf(name)
  const target = { institute, about }
  const giveOrStop = async (tx: Transaction, weight: Weight): Promise<void> => {
    const { gifts, wholePaise = ZERO } = weight
    const giving = { act: name, gifts, wholePaise, at: ctx.clock.now() }
    if (!(await giveAlone(tx, institute.id, giving))) throw new NeedsSecondPerson(weight)
  }
  const weighed = weighedCommand(ctx, command as Command<unknown>, { act, target, request }, giveOrStop)
  try {
    return (await act.perform(ctx, weighed, target, request, who.email)) as Result
  } catch (error) {
    if (!(error instanceof NeedsSecondPerson)) throw error
    const { weight } = error
    return keep(ctx, command, by, { name, about, request: weight.exact ?? request, weight })
  }
}

/** The command of an act that is weighed at the end of its transaction; where nothing needs a second person it is not. */
function weighedCommand(
  ctx: ConsoleContext,
  command: Command<unknown>,
  { act, target, request }: { act: AnyAct; target: ActTarget; request: { reason: string } },
  judge: (tx: Transaction, weight: Weight) => Promise<void>,
): Command<unknown> {
  let before: unknown
  let isWeighed = false
  return {
    ...command,
    async before(tx) {
      isWeighed = (await readApprovalLimits(tx, target.institute.id)) !== null
      if (isWeighed) before = await act.lookBefore?.(tx, ctx, target, request)
    },
    async audit(tx, result) {
      if (isWeighed) await judge(tx, await act.weigh(tx, ctx, { ...target, request, result, before }))
      await command.audit?.(tx, result)
    },
  }
}

async function keep(
  ctx: Context,
  command: Command<Kept>,
  { institute, who }: DecidedBy,
  { name, about, request, weight }: ActRequest<{ reason: string }> & { weight: Weight },
): Promise<Kept> {
  const { title, subject, amountPaise, effect = null } = weight
  if (request.reason === '') throw badField('reason', 'is required: a colleague has to approve this')
  const madeAt = ctx.clock.now()
  return transact(ctx.db, command, async tx => {
    if ((await store.countWaiting(tx, institute.id)) >= MOST_WAITING)
      throw conflict(`${MOST_WAITING} requests wait for approval. Have them decided first.`)
    const approval: Approval = {
      instituteId: institute.id,
      id: newId('apr'),
      act: name,
      about,
      subject,
      title,
      amountPaise,
      effect: effect && plainEffect(effect),
      request,
      reason: request.reason,
      state: 'waiting',
      makerId: who.userId,
      makerEmail: who.email,
      madeAt,
      expiresAt: expiryOf(madeAt),
      deciderId: null,
      deciderEmail: null,
      decidedAt: null,
      note: null,
    }
    if (!(await store.insertApproval(tx, approval)))
      throw conflict('The same was asked for already and waits for approval.')
    const others = (await emailsOf(tx, institute.id, ['owner', 'finance'])).filter(one => one !== who.email)
    const staff = { recipients: others, url: pageOf(ctx, institute), at: madeAt }
    await queueMessages(tx, askedMessages(approval, staff))
    return new Kept(approval)
  })
}

function plainEffect({ students, beforePaise, afterPaise }: Effect): Effect {
  return {
    students,
    ...(beforePaise === undefined ? {} : { beforePaise }),
    ...(afterPaise === undefined ? {} : { afterPaise }),
  }
}

function pageOf({ publicUrl }: Pick<Context, 'publicUrl'>, { code }: Pick<Institute, 'code'>): string {
  return `${publicUrl}/console/i/${code}/approvals`
}

/**
 * Does the act. The decision is written in the act's own transaction, by its audit: if the process is killed, both are
 * done or neither, and of two who approve at once one gets a conflict that undoes its act.
 */
export async function approve(
  ctx: ConsoleContext,
  command: Command<Approval>,
  by: DecidedBy,
  { id, note }: { id: string; note: string | null },
): Promise<Approval> {
  const { institute, who } = by
  const known = await store.findApproval(ctx.db, institute.id, id)
  if (known === null) throw notFound('This request')
  assertDecidable(known, 'approved', { userId: who.userId, now: ctx.clock.now() })
  const act = actOf(known.act)
  const target = { institute, about: known.about }
  const request = known.request as { reason: string }
  let decided: Approval | null = null
  const written = (): Approval => {
    assert(decided !== null, `${known.act} was done without its approval`)
    return decided
  }
  const { idempotency, audit } = command
  const approved: Command<unknown> = {
    instituteId: institute.id,
    idempotency: idempotency && { ...idempotency, answer: () => idempotency.answer(written()) },
    async audit(tx, result) {
      decided = await decideIn(ctx, tx, by, { id, decision: 'approved', note })
      const actor = { who, origin: by.origin }
      const done = act.note(target, request, result)
      const after = { result: done.after, approval_id: id, asked_by: known.makerEmail }
      await recordAudit(tx, ctx, { instituteId: institute.id, actor }, { ...done, after })
      await audit?.(tx, decided)
    },
  }
  const weighed = weighedCommand(ctx, approved, { act, target, request }, async (_tx, weight) => {
    if ([weight.takenBy].flat().includes(who.email))
      throw conflict('You took this money yourself, so somebody else has to approve that it goes back.')
    assertAsSeen(weight, known)
  })
  await act.perform(ctx, weighed, target, request, known.makerEmail)
  return written()
}

/** Fees may have been changed since it was asked for: nobody gives away more than was read and approved. */
function assertAsSeen({ gifts }: Weight, { amountPaise: seenPaise }: Approval): void {
  const givenPaise = totalOf(gifts.filter(gift => gift.isLateFee !== true))
  if (givenPaise > seenPaise)
    throw conflict(
      `This would now give away ${formatRupees(givenPaise)}, and was asked for with ${formatRupees(seenPaise)}. Decline it and have it asked for again.`,
    )
}

/** Declines, or withdraws what one asked for oneself: nothing is done. */
export async function refuse(
  ctx: Context,
  command: Command<Approval>,
  by: DecidedBy,
  decision: { id: string; decision: 'declined' | 'withdrawn'; note: string | null },
): Promise<Approval> {
  return transact(ctx.db, command, tx => decideIn(ctx, tx, by, decision))
}

async function decideIn(
  ctx: Context,
  tx: Transaction,
  { institute, who }: DecidedBy,
  {
    id,
    decision,
    note,
  }: { id: string; decision: 'approved' | 'declined' | 'withdrawn'; note: string | null },
): Promise<Approval> {
  const approval = await store.lockApproval(tx, institute.id, id)
  if (approval === null) throw notFound('This request')
  const now = ctx.clock.now()
  assertDecidable(approval, decision, { userId: who.userId, now })
  const decided = {
    ...approval,
    state: decision,
    deciderId: who.userId,
    deciderEmail: who.email,
    decidedAt: now,
    note,
  }
  await store.writeDecision(tx, decided)
  if (decision !== 'withdrawn')
    await queueMessages(tx, decidedMessages(decided, { url: pageOf(ctx, institute), at: now }))
  return decided
}

/** Ends requests that nobody decided in time, and tells who asked. */
export async function expireApprovals(ctx: Context, limit: number): Promise<number> {
  const at = ctx.clock.now()
  return takeDue(ctx.db, await store.findExpired(ctx.db, at, limit), async (tx, keys) => {
    const expired = await store.expireSome(tx, at, keys)
    const institutes = await getInstitutesById(ctx, [...new Set(expired.map(one => one.instituteId))])
    const codes = new Map(institutes.map(({ id, code }) => [id, code]))
    const messages = expired.flatMap(one => {
      const url = pageOf(ctx, { code: codes.get(one.instituteId) ?? '' })
      return decidedMessages({ ...one, state: 'expired' }, { url, at })
    })
    await queueMessages(tx, messages)
    return expired.length
  })
}

export async function nextApprovalExpiry({ db }: Pick<Context, 'db'>): Promise<Date | null> {
  return store.nextExpiry(db)
}

/** Null: nothing needs a second person. */
export type LimitSetting = { limits: ApprovalLimits | null }

export async function readLimit(
  { db }: Pick<Context, 'db'>,
  { id }: Pick<Institute, 'id'>,
): Promise<LimitSetting> {
  return { limits: await readApprovalLimits(db, id) }
}

type ChangedLimit = { before: LimitSetting; after: LimitSetting }

/** Where one person alone handles money nobody could approve, so it cannot be switched on there. */
export async function changeLimit(
  { db }: Pick<Context, 'db'>,
  command: Command<ChangedLimit>,
  institute: Institute,
  after: LimitSetting,
): Promise<ChangedLimit> {
  return transact(db, command, async tx => {
    const before = { limits: await readApprovalLimits(tx, institute.id) }
    const people = await emailsOf(tx, institute.id, ['owner', 'finance'])
    if (after.limits !== null && people.length < 2)
      throw conflict('Only one person here handles money. Invite a second owner or finance person first.')
    await writeApprovalLimits(tx, institute.id, after.limits)
    return { before, after }
  })
}
