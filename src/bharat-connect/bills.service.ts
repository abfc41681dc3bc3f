import { feeName } from '../messages/texts/texts.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import { getSchool } from '../institutes/school/school.service.ts'
import { LATE_FEE } from '../dues/dues.rules.ts'
import { readDuesOn, type Dues } from '../dues/dues.service.ts'
import { listOnTheWay } from '../payments/student-payments.service.ts'
import { dayOf } from '../platform/calendar.ts'
import type { Context } from '../platform/context.ts'
import { newId } from '../platform/ids.ts'
import { classOf } from '../platform/names.ts'
import { admitTry, LIMITS } from '../platform/rate-limits.rules.ts'
import { listByIdentifier } from '../students/students.service.ts'
import { ADMISSION_NUMBER, type Bill, type BillerAnswer, type BillQuestion } from './biller-port.ts'
import { askedOf, billedOf, dueAtOf, identifiersFor, isAnswered, type Billed } from './bills.rules.ts'
import * as store from './biller.store.ts'
import type { Biller } from './biller.store.ts'

type BilledSchool = { institute: Institute; biller: Biller }

/**
 * What an app shows to whoever knows the identifiers that the school chose. Whichever of them is wrong, the answer is the same, and
 * after some wrong ones with an admission number the right one has to wait too.
 */
export async function fetchBill(
  ctx: Context,
  { institute, biller }: BilledSchool,
  question: BillQuestion,
): Promise<BillerAnswer> {
  const found = await findStudents(ctx, { institute, biller }, question)
  const [first] = found
  if (first === undefined) return { kind: 'unknown_customer' }
  const onTheWay = await listOnTheWay(
    ctx.db,
    institute.id,
    found.map(({ context }) => context.student.id),
  )
  // What an earlier year left open is asked for first; the next bill is of the next year.
  for (const dues of found) {
    const { id } = dues.context.student
    const billed = billedOf(
      dues,
      onTheWay.filter(({ studentId }) => studentId === id),
    )
    if (billed !== null)
      return { kind: 'bill', bill: await makeBill(ctx, { institute, biller }, dues, billed) }
  }
  return { kind: 'nothing_due', customerName: first.context.student.fullname }
}

async function findStudents(
  ctx: Context,
  { institute, biller: { secondIdentifier } }: BilledSchool,
  question: BillQuestion,
): Promise<Dues[]> {
  const instituteId = institute.id
  const identifiers = identifiersFor(question.get(ADMISSION_NUMBER) ?? '')
  const ids = identifiers.length === 0 ? [] : await listByIdentifier(ctx, instituteId, identifiers)
  const keys = ids.map(studentId => ({ instituteId, studentId }))
  const dues = await readDuesOn(ctx.db, keys, dayOf(ctx.clock.now()))
  const all = ids.flatMap(id => dues.get(id) ?? [])
  const [named] = all
  if (named === undefined) return []
  const guess = { instituteId, identifier: named.context.student.identifier }
  if (!(await mayTry(ctx, guess))) return []
  const entered = question.get(secondIdentifier) ?? ''
  const known = all.filter(({ context }) => isAnswered(context.student, secondIdentifier, entered))
  if (known.length > 0) await store.clearGuesses(ctx.db, guess)
  // Two children of one number and one birthday are not told apart, so neither is shown.
  const names = new Set(known.map(({ context }) => context.student.fullname))
  return names.size > 1 ? [] : known
}

/** Counted as wrong before it is looked at. Limits run on real time. */
async function mayTry(
  { db }: Pick<Context, 'db'>,
  guess: { instituteId: number; identifier: string },
): Promise<boolean> {
  return db.transaction(async tx => {
    const before = await store.lockGuesses(tx, guess)
    const admission = admitTry(before, new Date(), LIMITS.billIdentifier.waits)
    if (admission.kind === 'blocked') return false
    await store.writeGuesses(tx, { ...guess, ...admission.tries })
    return true
  })
}

/** The same bill as before while nothing of it has changed, so that looking again makes none. */
async function makeBill(
  ctx: Context,
  { institute, biller }: BilledSchool,
  dues: Dues,
  billed: Billed,
): Promise<Bill> {
  const { student, gradeName } = dues.context
  const now = ctx.clock.now()
  const { lines, lateFeePaise, totalPaise, dueOn } = billed
  const last = await store.findLastBill(ctx.db, institute.id, student.id)
  const isSame =
    last !== null &&
    last.paidAt === null &&
    last.amountPaise === totalPaise &&
    dayOf(last.madeAt) === dues.today
  const bill = isSame
    ? last
    : {
        instituteId: institute.id,
        id: newId('bill'),
        studentId: student.id,
        amountPaise: totalPaise,
        madeAt: now,
        paidAt: null,
      }
  if (!isSame) await store.insertBill(ctx.db, bill)
  const school = await getSchool(ctx, institute.id)
  const lateFee = lateFeePaise > 0 ? [{ componentType: LATE_FEE, amountPaise: lateFeePaise }] : []
  return {
    id: bill.id,
    billedAt: bill.madeAt,
    dueAt: dueAtOf(dueOn, dues.today),
    ...askedOf(biller.amountRule, dues.partPayment, totalPaise),
    totalPaise,
    lines: [...lines, ...lateFee].map(line => ({
      name: feeName(line.componentType, 'en'),
      amountPaise: line.amountPaise,
    })),
    student: {
      name: student.fullname,
      admissionNumber: student.identifier,
      className: classOf(gradeName || student.grade, student.section),
      academicYear: `${student.academicYearStart}-${student.academicYearEnd}`,
      parentName: student.contactName,
    },
    school: { name: school.name, address: school.address },
  }
}
