import { addOwed, owedOf, withoutTaken, type Owed } from '../../dues/dues.rules.ts'
import { readDues, type Dues } from '../../dues/dues.service.ts'
import { type CounterFee, counterFeesOf, nextDueDay } from '../../dues/takings/takings.rules.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { listOnTheWay } from '../../payments/student-payments.service.ts'
import type { OnTheWay } from '../../payments/on-the-way.rules.ts'
import type { Context } from '../../platform/context.ts'
import { dayOf } from '../../platform/calendar.ts'
import { notFound } from '../../platform/errors.ts'
import { sumPaise, type Paise } from '../../platform/money.ts'
import { schoolYearOf } from '../reports/demand/demand.rules.ts'
import { guess } from '../search/search.rules.ts'
import { findPayments } from '../search/search.store.ts'
import { toWordQuery } from '../students/students.rules.ts'
import { findStudent, listFamily, searchStudents, type FoundStudent } from '../students/students.store.ts'

export type FoundFamily = { studentId: string; children: FoundStudent[] }

const MOST_FAMILIES = 6
const MOST_STUDENTS = 20
const MOST_USERS = 20
const MOST_RECORDS = 60

/** The families of what was typed or scanned. One alone is opened at once by the page. */
export async function findFamilies(
  ctx: Context,
  institute: Institute,
  typed: string,
): Promise<FoundFamily[]> {
  let students = await findStudents(ctx, institute, typed)
  const families: FoundFamily[] = []
  for (let [first] = students; first !== undefined && families.length < MOST_FAMILIES; [first] = students) {
    const ids = await familyOf(ctx, institute, first.id)
    families.push({
      studentId: first.id,
      children: students.filter(({ id }) => ids.has(id)),
    })
    students = students.filter(({ id }) => !ids.has(id))
  }
  return families
}

async function findStudents(
  ctx: Context,
  { id: instituteId }: Institute,
  typed: string,
): Promise<FoundStudent[]> {
  // The code on a card is an address that names the student.
  const onCard = /student_[0-9a-z]{26}/.exec(typed)?.[0]
  if (onCard !== undefined) return byId(ctx, instituteId, onCard)
  // A receipt number is typed as on paper, with a slash, or as in the address of a receipt.
  const asked = guess(typed.trim().replace(/^(\d{4}-\d{2})-(\d+)$/, '$1/$2'))
  if (asked.kind === 'request') return []
  if (asked.kind === 'id') return byId(ctx, instituteId, asked.id)
  if (asked.receipt !== null) {
    const payments = await findPayments(
      ctx.db,
      instituteId,
      { id: null, ranges: [], receipt: asked.receipt },
      1,
    )
    return byId(ctx, instituteId, payments[0]?.studentId ?? '')
  }
  const words = toWordQuery(instituteId, typed)
  if (words === null) return []
  const year = schoolYearOf(dayOf(ctx.clock.now()))
  return searchStudents(ctx.db, instituteId, { words, year }, MOST_STUDENTS)
}

async function byId({ db }: Context, instituteId: number, id: string): Promise<FoundStudent[]> {
  const student = await findStudent(db, instituteId, id)
  return student === null ? [] : [student]
}

async function familyOf({ db }: Context, { id }: Institute, studentId: string): Promise<Set<string>> {
  const users = await listFamily(db, id, studentId, MOST_USERS)
  return new Set([studentId, ...users.flatMap(user => user.studentIds)])
}

export type CounterChild = {
  studentId: string
  fullname: string
  identifier: string
  gradeName: string
  section: string | null
  academicYearStart: number
  academicYearEnd: number
  outstandingPaise: Paise
  onTheWayPaise: Paise
  onTheWayUntil: string | null
  fees: CounterFee[]
} & Owed

export type CounterFamily = Owed & {
  payerName: string
  payerPhone: string
  termDueOn: string | null
  onTheWayPaise: Paise
  children: CounterChild[]
}

/** All children of a family with what can be taken for them now: what is on the way is not taken a second time. */
export async function readFamily(
  ctx: Context,
  { institute, studentId }: { institute: Institute; studentId: string },
): Promise<CounterFamily> {
  const ids = [...(await familyOf(ctx, institute, studentId))].slice(0, MOST_RECORDS)
  const keys = ids.map(id => ({ instituteId: institute.id, studentId: id }))
  const [dues, onTheWay] = await Promise.all([readDues(ctx, keys), listOnTheWay(ctx.db, institute.id, ids)])
  const first = dues.get(studentId)
  if (first === undefined) throw notFound('This student')
  const records = ids.flatMap(id => {
    const owed = dues.get(id)
    const own = onTheWay.filter(one => one.studentId === id)
    return owed === undefined ? [] : [{ owed, own, left: withoutTaken(owed, own) }]
  })
  const { today } = first
  const nextDay = nextDueDay(
    records.map(({ left }) => left),
    today,
  )
  const newest = new Map<string, Dues>()
  for (const { owed } of records) {
    const { identifier, academicYearStart } = owed.context.student
    const known = newest.get(identifier)?.context.student.academicYearStart ?? 0
    if (academicYearStart > known) newest.set(identifier, owed)
  }
  const { contactName: payerName, contactNumber: payerPhone } = first.context.student
  const children = records
    .filter(({ owed }) => owed.totalPaise > 0 || newest.get(owed.context.student.identifier) === owed)
    .map(record => toChild(record, { today, nextDay }))
  return {
    payerName,
    payerPhone,
    termDueOn: nextDay,
    ...addOwed(children),
    onTheWayPaise: sumPaise(children.map(child => child.onTheWayPaise)),
    children,
  }
}

function toChild(
  { owed, own, left }: { owed: Dues; own: readonly OnTheWay[]; left: Dues },
  days: { today: string; nextDay: string | null },
): CounterChild {
  const { student, gradeName } = owed.context
  return {
    ...student,
    studentId: student.id,
    gradeName,
    ...owedOf(owed),
    outstandingPaise: owed.owedPaise,
    onTheWayPaise: sumPaise(own.map(one => one.amountPaise)),
    onTheWayUntil:
      own
        .map(one => one.until)
        .toSorted()
        .at(-1) ?? null,
    fees: counterFeesOf(left, days),
  }
}
