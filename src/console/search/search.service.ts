import type { Institute } from '../../institutes/institutes.rules.ts'
import { assertNever } from '../../platform/assert.ts'
import { dayOf } from '../../platform/calendar.ts'
import type { Context } from '../../platform/context.ts'
import { KEEPERS, type ConsoleRole } from '../console.rules.ts'
import { findRequest, type LoggedRequest } from '../../request-log/requests.service.ts'
import { schoolYearOf } from '../reports/demand/demand.rules.ts'
import { guess, rangesOf } from './search.rules.ts'
import * as store from './search.store.ts'
import { toWordQuery } from '../students/students.rules.ts'
import { findStudent, searchStudents, type FoundStudent } from '../students/students.store.ts'

export type SearchResults = {
  students: FoundStudent[]
  orders: store.FoundOrder[]
  plans: store.FoundPlan[]
  payments: store.FoundPayment[]
  utrs: store.FoundUtr[]
  requests: store.FoundRequest[]
  /** Requests that the ERP sent with a key. */
  erpRequests: LoggedRequest[]
}

const NOTHING: SearchResults = {
  students: [],
  orders: [],
  plans: [],
  payments: [],
  utrs: [],
  requests: [],
  erpRequests: [],
}
const MOST = 6

/** Whatever fits what was typed, a few of each kind; at most four statements. */
export async function search(
  ctx: Context,
  { institute, role }: { institute: Institute; role: ConsoleRole },
  typed: string,
): Promise<SearchResults> {
  const wanted = guess(typed)
  switch (wanted.kind) {
    case 'request': {
      const [asked, requests] = await Promise.all([
        findRequest(ctx, institute, wanted.id),
        // The audit log is for those who keep the institute, also when it is looked into through here.
        KEEPERS.includes(role) ? store.findRequests(ctx.db, institute.id, wanted.id, MOST) : [],
      ])
      return { ...NOTHING, requests, erpRequests: asked === null ? [] : [asked] }
    }
    case 'id':
      return findById(ctx, institute, wanted.id)
    case 'words':
      return findByWords(ctx, institute, { typed, ...wanted })
    default:
      return assertNever(wanted)
  }
}

/** The prefix of an id says what it is of. */
async function findById({ db }: Context, { id: instituteId }: Institute, id: string): Promise<SearchResults> {
  const [prefix] = id.split('_')
  switch (prefix) {
    case 'student': {
      const student = await findStudent(db, instituteId, id)
      return { ...NOTHING, students: student === null ? [] : [student] }
    }
    case 'order':
      return { ...NOTHING, orders: await store.findOrders(db, instituteId, { id, identifiers: [] }, MOST) }
    case 'plan': {
      const plan = await store.findPlan(db, instituteId, id)
      return { ...NOTHING, plans: plan === null ? [] : [plan] }
    }
    default: {
      const payments = await store.findPayments(db, instituteId, { id, ranges: [], receipt: null }, MOST)
      return { ...NOTHING, payments }
    }
  }
}

type SearchWords = {
  typed: string
  reference: string | null
  receipt: { financialYear: string; number: number } | null
}

async function findByWords(
  { db, clock }: Context,
  { id: instituteId }: Institute,
  { typed, reference, receipt }: SearchWords,
): Promise<SearchResults> {
  const words = toWordQuery(instituteId, typed)
  const ranges = reference === null ? [] : rangesOf(reference)
  const identifiers = ranges.map(range => range.from)
  const isNumber = ranges.length > 0 || receipt !== null
  const [students, orders, payments, utrs] = await Promise.all([
    words === null
      ? []
      : searchStudents(db, instituteId, { words, year: schoolYearOf(dayOf(clock.now())) }, MOST),
    ranges.length > 0 ? store.findOrders(db, instituteId, { id: null, identifiers }, MOST) : [],
    isNumber ? store.findPayments(db, instituteId, { id: null, ranges, receipt }, MOST) : [],
    ranges.length > 0 ? store.findUtrs(db, instituteId, ranges, MOST) : [],
  ])
  return { ...NOTHING, students, orders, payments, utrs }
}
