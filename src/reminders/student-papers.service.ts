import type { Readable } from 'node:stream'
import { printedCodeUrl } from '../dues/printed-code.service.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import { languagesOf } from '../messages/messages.service.ts'
import { besideEnglish, messageTextsIn } from '../messages/texts/texts.ts'
import type { Context } from '../platform/context.ts'
import { conflict } from '../platform/errors.ts'
import type { Language } from '../platform/languages.ts'
import { classOf } from '../platform/names.ts'
import type { CardSheet } from '../receipts/card-sheet.ts'
import { CARDS_ON_A_PAGE } from '../receipts/receipt-papers.ts'
import { printPile } from '../receipts/receipt-printer.ts'
import * as store from './student-papers.store.ts'

/** What is read from the database and given to the printer at a time. */
const PART = 50

const BY_NUMBER = new Intl.Collator('en', { numeric: true })

/** Papers are printed as they are handed out: class by class, by name. */
async function listByClass(
  { db }: Pick<Context, 'db'>,
  institute: Institute,
  ids: readonly string[],
): Promise<store.StudentOnPaper[]> {
  const students = await store.listStudents(db, institute.id, ids)
  return students.toSorted((one, other) => BY_NUMBER.compare(placeOf(one), placeOf(other)))
}

function placeOf({ collectorCode, gradeName, section, fullname }: store.StudentOnPaper): string {
  return [collectorCode, gradeName, section ?? '', fullname].join('\n')
}

/** The same in parts, by their ids. */
export async function* partsByClass(
  ctx: Pick<Context, 'db'>,
  institute: Institute,
  ids: readonly string[],
): AsyncGenerator<string[]> {
  const students = await listByClass(ctx, institute, ids)
  for (let from = 0; from < students.length; from += PART)
    yield students.slice(from, from + PART).map(({ id }) => id)
}

/** Cards that students carry, ten to a page: each has a code that leads to what is to be paid for the student. */
export async function studentCards(
  ctx: Pick<Context, 'db' | 'clock' | 'mode' | 'vault' | 'publicUrl'>,
  institute: Institute,
  studentIds: readonly string[],
): Promise<Readable> {
  const students = await listByClass(ctx, institute, studentIds)
  if (students.length === 0) throw conflict('Nobody fits: there is no card to print.')
  return printPile(cardSheets(ctx, institute, students), { instituteId: institute.id })
}

async function* cardSheets(
  ctx: Pick<Context, 'db' | 'clock' | 'mode' | 'vault' | 'publicUrl'>,
  institute: Institute,
  students: readonly store.StudentOnPaper[],
): AsyncGenerator<CardSheet[]> {
  const { title } = messageTextsIn('en').feeCard
  const madeAt = ctx.clock.now()
  for (let from = 0; from < students.length; from += PART) {
    const part = students.slice(from, from + PART)
    const phones = part.map(({ contactNumber: phone }) => ({ instituteId: institute.id, phone }))
    const languages = await languagesOf(ctx.db, phones)
    const cards = part.map((student, index) => cardOf(ctx, institute, student, languages[index] ?? 'en'))
    const pages = Math.ceil(cards.length / CARDS_ON_A_PAGE)
    yield Array.from({ length: pages }, (_, page) => ({
      title,
      madeAt,
      cards: cards.slice(page * CARDS_ON_A_PAGE, (page + 1) * CARDS_ON_A_PAGE),
      isSandbox: ctx.mode === 'sandbox',
    }))
  }
}

function cardOf(
  ctx: Pick<Context, 'vault' | 'publicUrl'>,
  institute: Institute,
  { id, fullname, gradeName, section, identifier }: store.StudentOnPaper,
  language: Language,
): CardSheet['cards'][number] {
  return {
    school: institute.name,
    name: fullname,
    lines: [classOf(gradeName, section), identifier],
    code: printedCodeUrl(ctx, institute, id),
    scan: besideEnglish(each => messageTextsIn(each).feeCard.scan, language),
  }
}
