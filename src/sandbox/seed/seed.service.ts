import { seedDemoUser } from '../../console/auth/users.service.ts'
import { createInstitute, findInstitute } from '../../institutes/institutes.service.ts'
import { createKey, listKeys } from '../../institutes/keys.service.ts'
import type { Transaction } from '../../platform/db/database.ts'
import type { Context } from '../../platform/context.ts'
import { lockSetting, readSetting, writeSetting } from '../../platform/db/instance-settings.ts'
import { joinCatalogue } from '../../institutes/catalogue.service.ts'
import type { CatalogueEntry, Institute } from '../../institutes/institutes.rules.ts'
import { conflict, isUnavailable } from '../../platform/errors.ts'
import { DAY_MS, dayOf, startOfDay } from '../../platform/calendar.ts'
import { firstIdAt } from '../../platform/ids.ts'
import { recomputeBalances } from '../../fees/balances.service.ts'
import * as store from './school.store.ts'
import { schoolYear, tenPayments, TERMS, TRANSPORT_DUE, yearStartOf } from './seed.rules.ts'

/** A school with a year behind it, for people who want to look around. */
export const DEMO_SCHOOL = {
  code: 'sunrise-school',
  name: 'Sunrise School',
  branches: [{ collectorCode: 'MAIN', name: 'Main branch' }],
  key: { keyId: 'key_test_sunrise', secret: 'secret_test_sunrise' },
} as const

type SandboxInstitute = {
  code: string
  name: string
  branches: readonly { collectorCode: string; name: string }[]
  key: { keyId: string; secret: string }
}

/** Empty ones, for a developer's first calls, with published credentials. Live mode never has them. */
const EMPTY_INSTITUTES: readonly SandboxInstitute[] = [
  {
    code: 'demo-school',
    name: 'Demo School',
    branches: [{ collectorCode: 'MAIN', name: 'Main branch' }],
    key: { keyId: 'key_test_demo', secret: 'secret_test_demo' },
  },
  {
    code: 'demo-group',
    name: 'Demo Group',
    branches: [
      { collectorCode: 'NORTH', name: 'North branch' },
      { collectorCode: 'SOUTH', name: 'South branch' },
    ],
    key: { keyId: 'key_test_group', secret: 'secret_test_group' },
  },
]

export function sandboxInstitutes(hasDemo: boolean): readonly SandboxInstitute[] {
  return hasDemo ? [DEMO_SCHOOL, ...EMPTY_INSTITUTES] : EMPTY_INSTITUTES
}

/** Once per database, so a demo key that was revoked stays revoked; under a lock, so processes may start at once. */
export async function seedSandbox(ctx: Context, hasDemo: boolean): Promise<void> {
  const institutes = sandboxInstitutes(hasDemo)
  await ctx.db.transaction(async tx => {
    await lockSetting(tx, 'sandbox_seeded')
    if ((await readSetting(tx, 'sandbox_seeded')) === null) {
      for (const institute of institutes) await seedInstitute(ctx, institute)
      if (hasDemo) await writeSetting(tx, 'demo', 'empty')
      await writeSetting(tx, 'sandbox_seeded', 'yes')
    }
    // Apart, because sandboxes of before had institutes and no console.
    if ((await readSetting(tx, 'sandbox_console_seeded')) === null) {
      await seedPeople(ctx, tx, institutes)
      await writeSetting(tx, 'sandbox_console_seeded', 'yes')
    }
  })
}

const OPERATOR = { email: 'operator@bursar.example', name: 'Operator' }

/** Whom one click signs in to the console: an owner for each institute, and the operator. */
export function demoPeople(hasDemo: boolean): { email: string; name: string }[] {
  return [...sandboxInstitutes(hasDemo).map(ownerOf), OPERATOR]
}

function ownerOf({ code, name }: SandboxInstitute): { email: string; name: string } {
  return { email: `bursar@${code}.example`, name: `Bursar of ${name}` }
}

async function seedPeople(
  ctx: Context,
  tx: Transaction,
  institutes: readonly SandboxInstitute[],
): Promise<void> {
  for (const seed of institutes) {
    const institute = await findInstitute(ctx, seed.code)
    if (institute === null) continue
    await seedDemoUser(tx, {
      ...ownerOf(seed),
      isOperator: false,
      member: { institute, role: 'owner' },
    })
  }
  await seedDemoUser(tx, { ...OPERATOR, isOperator: true, member: null })
}

/** Each step is looked for first: a start that was killed midway is finished by the next. */
async function seedInstitute(ctx: Context, seed: SandboxInstitute): Promise<void> {
  const { code, name, branches, key } = seed
  if ((await findInstitute(ctx, code)) === null) {
    await createInstitute(ctx, { code, name, branches, strictCatalogue: false })
  }
  if ((await listKeys(ctx, code)).length === 0) {
    await createKey(ctx, code, { label: 'published test key', scopes: ['read', 'write'], fixed: key })
  }
}

type SeededCounts = { students: number; payments: number }

/** Small enough that no statement comes near its time limit, also on a machine that is busy. */
const BATCH = 50
/** How often one student in a row may fail before it is no matter of time. */
const MOST_FAILURES = 5
const PAYMENTS_EACH = 10
const SHIFTS = 28
const REGISTERED_MS = 340 * DAY_MS

const FIRST_NAMES =
  'Aarav Aditi Advik Ahana Aisha Ananya Anaya Arjun Asha Bhavna Chetan Deepa Dev Diya Esha Farhan Gauri Harsh Imran Ishaan Jaya Kabir Kavya Kiran Lakshmi Manav Meera Mohan Naina Neel Nikhil Nisha Omkar Pooja Pranav Priya Rahul Rhea Rohan Saanvi Samir Sara Shreya Tara Uma Vihaan Yash Zoya'
const SURNAMES =
  'Agarwal Bhat Bose Chatterjee Das Desai Deshmukh Fernandes Ghosh Gupta Hegde Iyer Jain Joshi Kapoor Khan Kulkarni Kumar Mehta Menon Mishra Nair Naidu Pandey Patel Patil Pillai Rao Reddy Roy Saxena Shah Sharma Shetty Singh Sinha Srinivasan Thomas Varma Yadav'

const CODES: readonly CatalogueEntry[] = [
  ...Array.from({ length: 12 }, (_, n) => ({ kind: 'grade' as const, code: String(n + 1) })),
  { kind: 'component', code: 'TUITION_FEE' },
  ...TERMS.map(({ componentType }) => ({ kind: 'component' as const, code: componentType })),
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
): Promise<SeededCounts> {
  if (ctx.mode !== 'sandbox') throw conflict('Only a sandbox is filled with made-up students.')
  await joinCatalogue(ctx.db, institute, CODES)
  const first = await store.countSeeded(ctx.db, institute.id)
  const stamp = firstIdAt('order', new Date()).slice('order_'.length)
  let size = batch
  let failures = 0
  for (let done = 0; done < students;) {
    const low = first + done
    const high = first + Math.min(done + size, students) - 1
    const numbers = Array.from({ length: high - low + 1 }, (_, index) => low + index)
    const now = ctx.clock.now()
    const today = dayOf(now)
    const adding = ctx.db.transaction(async tx =>
      addBatch(tx, institute, {
        numbers,
        firstGrade: 1,
        yearStart: yearStartOf(today),
        since: new Date(now.getTime() - REGISTERED_MS),
        tuition: ['TUITION_FEE'],
        prefix: 'SEED-',
        digits: 6,
        stamp,
        now,
        payments: numbers.flatMap(n => tenPayments(n, today, Math.floor(low / batch) % SHIFTS)),
      }),
    )
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

type StudentBatch = Omit<store.Batch, 'instituteId' | 'firstNames' | 'surnames' | 'branches'>

async function addBatch(tx: Transaction, institute: Institute, batch: StudentBatch): Promise<void> {
  const ids = await store.insertBatch(tx, {
    ...batch,
    instituteId: institute.id,
    firstNames: FIRST_NAMES.split(' '),
    surnames: SURNAMES.split(' '),
    branches: institute.branches.map(branch => branch.collectorCode),
  })
  recomputeBalances(tx, institute.id, ids)
}

/**
 * Two school years of a school of that many students, last year's and this one's up to today: peaks when a term is due, nothing on Sundays and
 * holidays, some who pay late. Its fees are due on days of the calendar.
 */
export async function addSchoolYears(
  ctx: Pick<Context, 'clock'>,
  tx: Transaction,
  institute: Institute,
  students: number,
): Promise<void> {
  const now = ctx.clock.now()
  const today = dayOf(now)
  const year = yearStartOf(today)
  await joinCatalogue(tx, institute, CODES)
  const all = Array.from({ length: students }, (_, n) => n)
  for (const [yearStart, firstGrade] of [
    [year, 1],
    [year - 1, 0],
  ] as const) {
    // Who is in the first class now was not here a year ago.
    const numbers = all.filter(n => firstGrade + (n % 12) > 0)
    await addBatch(tx, institute, {
      numbers,
      firstGrade,
      yearStart,
      since: startOfDay(`${yearStart}-03-20`),
      tuition: TERMS.map(({ componentType }) => componentType),
      prefix: 'SUN-2',
      digits: 3,
      stamp: firstIdAt('order', new Date()).slice('order_'.length),
      now,
      payments: numbers.flatMap(n => schoolYear(n, { yearStart, firstGrade, today })),
    })
  }
  await store.setDueDays(tx, institute.id, [
    ...TERMS.map(({ componentType, due }) => ({ componentType, dueOn: `${year}-${due}` })),
    { componentType: 'TRANSPORT_FEE', dueOn: `${year}-${TRANSPORT_DUE}` },
  ])
}

/** The students are there, whether the planner hears of them now or when the database looks by itself. */
async function analyseTables({ db }: Pick<Context, 'db'>): Promise<void> {
  try {
    await store.analyseTables(db)
  } catch (error) {
    if (!isUnavailable(error)) throw error
  }
}
