import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { findInstitute } from '../../institutes/institutes.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { dayOf } from '../../platform/calendar.ts'
import type { Context } from '../../platform/context.ts'
import { lockSetting, readSetting, writeSetting } from '../../platform/db/instance-settings.ts'
import { addSchoolYears, DEMO_SCHOOL } from '../seed/seed.service.ts'
import {
  readRecording,
  renumbered,
  writeRecording,
  type RecordedTable,
  type Recording,
} from './recording.rules.ts'
import * as store from './recording.store.ts'

/** Where the build leaves the school that it recorded. */
export const RECORDING_FILE = new URL('../../../build/sunrise-school.gz', import.meta.url)

const [compress, decompress] = [promisify(gzip), promisify(gunzip)]

/** Students beside the recorded ones. Their payments follow the calendar, so they are made when the sandbox begins. */
const STUDENTS = 300

/** Tables that name receipts in what they told, which come last: receipts are numbered among those made at the start. */
const NAMING_RECEIPTS = ['messages', 'events']
const namesReceipts = ({ name }: RecordedTable): boolean => NAMING_RECEIPTS.includes(name)

export type DemoFilled = 'filled' | 'not recorded' | 'nothing to do'

/**
 * Gives a new sandbox a school to look at: the recorded one, moved to today. It comes in one transaction, so that a process that dies
 * meanwhile leaves a school without students, which the next start fills.
 */
export async function fillDemo(ctx: Context): Promise<DemoFilled> {
  if (ctx.mode !== 'sandbox' || (await readSetting(ctx.db, 'demo')) !== 'empty') return 'nothing to do'
  const text = await readFile(RECORDING_FILE).then(
    async file => (await decompress(file)).toString(),
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw error
    },
  )
  if (text === null) return 'not recorded'
  const recording = readRecording(text, {
    endedAt: new Date(),
    day: dayOf(ctx.clock.now()),
    publicUrl: ctx.publicUrl,
  })
  const school = await findInstitute(ctx, DEMO_SCHOOL.code)
  const isFilled = await ctx.db.transaction(async tx => {
    await lockSetting(tx, 'demo')
    if (school === null || (await readSetting(tx, 'demo')) !== 'empty') return false
    const insert = async (tables: readonly RecordedTable[]): Promise<void> => {
      for (const table of tables) await store.insertTable(tx, school.id, table)
      await store.skipNumbers(tx, school.id)
    }
    await insert(recording.tables.filter(table => !namesReceipts(table)))
    await addSchoolYears(ctx, tx, school, STUDENTS)
    const numbers = await store.numberReceipts(tx, school.id)
    await insert(recording.tables.filter(namesReceipts).map(table => renumbered(table, numbers)))
    await writeSetting(tx, 'demo', 'filled')
    return true
  })
  if (!isFilled) return 'nothing to do'
  await store.analyse(ctx.db, recording.tables)
  return 'filled'
}

/** Tables in which a school has rows from the start: a sandbox makes these itself. */
export async function findSeededTables(ctx: Context, school: Institute): Promise<ReadonlySet<string>> {
  const tables = await store.readTables(ctx.db, school.id, new Set())
  return new Set(tables.map(({ name }) => name))
}

/** Triggers make their rows anew when the others are put in. */
const MADE_BY_TRIGGERS = [
  'dues_groups',
  'student_dues',
  'dues_changes',
  'collected_days',
  'collected_changes',
]

/** What the school has come to have, as a file. */
export async function recordSchool(
  ctx: Context,
  school: Institute,
  { seeded, ...about }: Omit<Recording, 'tables' | 'publicUrl'> & { seeded: ReadonlySet<string> },
): Promise<Buffer> {
  const tables = await store.readTables(ctx.db, school.id, new Set([...seeded, ...MADE_BY_TRIGGERS]))
  for (const { name, rows } of tables) {
    // The key that sealed it stays with the recorder.
    if (rows.some(row => /"\w*_sealed":"/.test(row))) throw new Error(`${name} has a sealed value`)
  }
  return compress(writeRecording({ ...about, publicUrl: ctx.publicUrl, tables }), { level: 9 })
}
