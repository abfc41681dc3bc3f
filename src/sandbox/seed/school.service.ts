import { joinCatalogue } from '../../institutes/catalogue.service.ts'
import type { CatalogueEntry, Institute } from '../../institutes/institutes.rules.ts'
import { conflict, isUnavailable } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { firstIdAt } from '../../platform/ids.ts'
import { recomputeBalances } from '../../fees/balances.service.ts'
import * as store from './school.store.ts'

export type Seeded = { students: number; payments: number }

/** Small enough that no statement comes near its time limit, also on a machine that is busy. */
const BATCH = 50
/** How often one student in a row may fail before it is no matter of time. */
const MOST_FAILURES = 5
const PAYMENTS_EACH = 10
const SHIFTS = 28

const FIRST_NAMES =
  'Aarav Aditi Advik Ahana Aisha Ananya Anaya Arjun Asha Bhavna Chetan Deepa Dev Diya Esha Farhan Gauri Harsh Imran Ishaan Jaya Kabir Kavya Kiran Lakshmi Manav Meera Mohan Naina Neel Nikhil Nisha Omkar Pooja Pranav Priya Rahul Rhea Rohan Saanvi Samir Sara Shreya Tara Uma Vihaan Yash Zoya'
const SURNAMES =
  'Agarwal Bhat Bose Chatterjee Das Desai Deshmukh Fernandes Ghosh Gupta Hegde Iyer Jain Joshi Kapoor Khan Kulkarni Kumar Mehta Menon Mishra Nair Naidu Pandey Patel Patil Pillai Rao Reddy Roy Saxena Shah Sharma Shetty Singh Sinha Srinivasan Thomas Varma Yadav'

const CODES: readonly CatalogueEntry[] = [
  ...Array.from({ length: 12 }, (_, n) => ({ kind: 'grade' as const, code: String(n + 1) })),
  { kind: 'component', code: 'TUITION_FEE' },
  { kind: 'component', code: 'TRANSPORT_FEE' },
  { kind: 'discount', code: 'SIBLING' },
]

/**
 * Fills an institute of a sandbox with a school that has been paying for a year: students and families, fees, ten paid
 * and settled orders each, receipts, ledger and the bank's own books, which reconcile. No events: nobody is notified of what
 * never happened. Each run adds to the ones before. All of a batch pay on the same days. Where the database takes too long
 * for a batch it goes on with half of it.
 */
export async function seedSchool(
  ctx: Context,
  institute: Institute,
  students: number,
  { batch = BATCH, onProgress }: { batch?: number; onProgress?: (done: number) => void } = {},
): Promise<Seeded> {
  if (ctx.mode !== 'sandbox') throw conflict('Only a sandbox is filled with made-up students.')
  await joinCatalogue(ctx.db, institute, CODES)
  const first = await store.countSeeded(ctx.db, institute.id)
  const stamp = firstIdAt('order', new Date()).slice('order_'.length)
  let size = batch
  let failures = 0
  for (let done = 0; done < students;) {
    const low = first + done
    const high = first + Math.min(done + size, students) - 1
    const adding = ctx.db.transaction(async tx => {
      const ids = await store.insertBatch(tx, {
        instituteId: institute.id,
        low,
        high,
        stamp,
        now: ctx.clock.now(),
        shiftDays: Math.floor(low / batch) % SHIFTS,
        firstNames: FIRST_NAMES.split(' '),
        surnames: SURNAMES.split(' '),
        branches: institute.branches.map(branch => branch.collectorCode),
      })
      recomputeBalances(tx, institute.id, ids)
    })
    try {
      await adding
    } catch (error) {
      failures = size === 1 ? failures + 1 : 0
      if (!isUnavailable(error) || failures === MOST_FAILURES) throw error
      // Half of it takes half as long. It was rolled back whole, unless no more than the answer to its commit was lost.
      size = Math.ceil(size / 2)
      done = (await store.countSeeded(ctx.db, institute.id)) - first
      continue
    }
    done = high - first + 1
    onProgress?.(done)
  }
  await analyseTables(ctx)
  return { students, payments: students * PAYMENTS_EACH }
}

/** The students are there, whether the planner hears of them now or when the database looks by itself. */
async function analyseTables({ db }: Pick<Context, 'db'>): Promise<void> {
  try {
    await store.analyseTables(db)
  } catch (error) {
    if (!isUnavailable(error)) throw error
  }
}
