import * as store from './reminders.store.ts'
import type { Readable } from 'node:stream'
import type { Dues } from '../dues/dues.service.ts'
import { printedCodeUrl } from '../dues/printed-code.service.ts'
import { studentUpiLink } from '../dues/virtual-accounts/student-upi.ts'
import {
  listVirtualAccounts,
  type OpenVirtualAccount,
} from '../dues/virtual-accounts/virtual-accounts.service.ts'
import { askingLink } from './reminders.rules.ts'
import { readDuesLeft } from '../dues/on-the-way.service.ts'
import { timingOf } from '../dues/dues.rules.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import { getSchool } from '../institutes/school/school.service.ts'
import type { School } from '../institutes/school/school.rules.ts'
import { languagesOf } from '../messages/messages.service.ts'
import { besideEnglish, feeOnPaper, messageTextsIn } from '../messages/texts/texts.ts'
import { classOf } from '../platform/names.ts'
import { rupeesInWords, formatRupees, minPaise, subtractPaise, type Paise } from '../platform/money.ts'
import { dayOf } from '../platform/calendar.ts'
import type { Context } from '../platform/context.ts'
import { conflict } from '../platform/errors.ts'
import { fill, formatDayIn, type Language } from '../platform/languages.ts'
import type { DocumentBlock, DocumentPrint } from '../receipts/document-pdf.ts'
import { UPI_MOST } from '../providers/port.ts'
import { readLetterhead } from '../receipts/letterhead.service.ts'
import { printPile } from '../receipts/receipt-printer.ts'
import type { PaymentContext } from '../payments/context.ts'
import { takesPayments } from '../payments/start/start-payment.service.ts'
import type { CardSheet } from '../receipts/card-sheet.ts'
import { CARDS_ON_A_PAGE } from '../receipts/receipt-papers.ts'

type NoticeContext = Context & Pick<PaymentContext, 'accounts'>

/**
 * One page for each student that owes something by hand and is not paying it already, to be printed and given to the child:
 * in one file, class by class.
 */
export async function demandNotices(
  ctx: NoticeContext,
  institute: Institute,
  studentIds: readonly string[],
): Promise<Readable> {
  return printPile(noticesOf(ctx, institute, studentIds), { instituteId: institute.id })
}

async function* noticesOf(
  ctx: NoticeContext,
  institute: Institute,
  studentIds: readonly string[],
): AsyncGenerator<DocumentPrint[]> {
  const school = await getSchool(ctx, institute.id)
  const letterhead = await readLetterhead(ctx, institute.id)
  const madeAt = ctx.clock.now()
  let count = 0
  for await (const ids of partsByClass(ctx, institute, studentIds)) {
    const left = await readDuesLeft(ctx, institute.id, ids)
    const dues = ids.flatMap(id => left.get(id) ?? []).filter(one => askedOf(one) > 0)
    const phones = dues.map(({ context }) => ({
      instituteId: institute.id,
      phone: context.student.contactNumber,
    }))
    const languages = await languagesOf(ctx.db, phones)
    const accounts = await listVirtualAccounts(ctx, institute.id, ids)
    const prints: DocumentPrint[] = []
    for (const [index, one] of dues.entries()) {
      const language = languages[index] ?? 'en'
      const payUrl = await payUrlOf(ctx, institute, one)
      prints.push({
        institute: institute.name,
        letterhead,
        branch: null,
        title: besideEnglish(each => messageTextsIn(each).demandNotice.title, language),
        madeAt,
        blocks: noticeOf(one, {
          school,
          today: dayOf(madeAt),
          language,
          payUrl,
          account: accounts.get(one.context.student.id),
        }),
        isSandbox: ctx.mode === 'sandbox',
      })
    }
    count += prints.length
    if (prints.length > 0) yield prints
  }
  if (count === 0) throw conflict('Nobody of these owes anything: there is no notice to print.')
}

/** What a family is asked for: instalments take theirs in their own time. */
function askedOf(dues: Dues): Paise {
  return subtractPaise(dues.totalPaise, timingOf(dues).plannedPaise)
}

/** Null where no payment can be taken online. */
async function payUrlOf(
  ctx: NoticeContext,
  institute: Institute,
  { context: { student } }: Dues,
): Promise<string | null> {
  const branch = { instituteId: institute.id, collectorCode: student.collectorCode }
  return (await takesPayments(ctx, branch)) ? printedCodeUrl(ctx, institute, student.id) : null
}

type Notice = {
  school: School
  today: string
  language: Language
  payUrl: string | null
  account: OpenVirtualAccount | undefined
}

/** A notice is in the language of the family, with English beside it where it is short. */
function noticeOf(dues: Dues, notice: Notice): DocumentBlock[] {
  const { today, language } = notice
  const t = messageTextsIn(language).demandNotice
  const both = (key: keyof typeof t): string =>
    besideEnglish(each => messageTextsIn(each).demandNotice[key], language)
  const { student, gradeName } = dues.context
  const rows = [
    ...dues.lines.flatMap(({ componentType, owedPaise, plannedPaise, dueOn }) => {
      const amount = subtractPaise(owedPaise, minPaise(owedPaise, plannedPaise))
      const due = dueOn === null ? '' : formatDayIn(dueOn, language)
      return amount > 0 ? [[feeOnPaper(componentType, language), due, formatRupees(amount)]] : []
    }),
    ...dues.lateFees
      .filter(fee => fee.amountPaise > 0)
      .map(fee => [both('lateFee'), '', formatRupees(fee.amountPaise)]),
  ]
  const total = askedOf(dues)
  return [
    {
      kind: 'pairs',
      left: {
        [both('student')]: student.fullname,
        [both('studentId')]: student.identifier,
        [both('grade')]: classOf(gradeName, student.section),
      },
      right: { [both('parent')]: student.contactName, [both('date')]: formatDayIn(today, language) },
    },
    { kind: 'text', text: both('say') },
    {
      kind: 'table',
      columns: [
        { title: both('forWhat'), width: 5 },
        { title: both('dueOn'), width: 3 },
        { title: both('amount'), width: 3, isAmount: true },
      ],
      rows,
      total: [both('total'), '', formatRupees(total)],
    },
    { kind: 'text', text: rupeesInWords(total) },
    ...transfersTo(notice),
    ...payCode(dues, notice, total),
    { kind: 'text', text: both('ignore') },
    { kind: 'signature', label: both('signature') },
  ]
}

/** Where there is a number of the student's own, whoever sends money to it has said whose it is; the school's accounts do not. */
function transfersTo({ school, language, account }: Notice): DocumentBlock[] {
  const t = messageTextsIn(language).demandNotice
  const ways =
    account === undefined
      ? school.bankAccounts.map(({ upiId, holder, number, ifsc, bank }) => ({
          upiId,
          text: fill(t.transfer, { holder, number, ifsc, bank }),
        }))
      : [
          {
            upiId: account.upiId,
            text: fill(t.ownAccount, { number: account.accountNumber, ifsc: account.ifsc }),
          },
        ]
  return ways.map(({ upiId, text }) => ({
    kind: 'text',
    text: upiId === null ? text : `${text}, ${fill(t.upi, { upi: upiId })}`,
  }))
}

/**
 * Leads to the page that asks for what is due on the day it is scanned. Where nothing can be paid online, a UPI app reads
 * the exact amount and the admission number, by which the bank statement shows whose money it is.
 */
function payCode(
  { context: { student } }: Dues,
  { school, language, payUrl }: Notice,
  total: Paise,
): DocumentBlock[] {
  const labelOf = (key: 'scan' | 'scanOnline'): string =>
    besideEnglish(
      each => fill(messageTextsIn(each).demandNotice[key], { amount: formatRupees(total) }),
      language,
    )
  if (payUrl !== null) return [{ kind: 'qr', code: payUrl, label: labelOf('scanOnline') }]
  const account = school.bankAccounts.find(one => one.upiId !== null)
  if (account?.upiId === undefined || account.upiId === null || total > UPI_MOST) return []
  const { upiId, holder } = account
  const code = askingLink({ upiId, holder, amountPaise: total, note: student.identifier })
  return [{ kind: 'qr', code, label: labelOf('scan') }]
}

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
async function* partsByClass(
  ctx: Pick<Context, 'db'>,
  institute: Institute,
  ids: readonly string[],
): AsyncGenerator<string[]> {
  const students = await listByClass(ctx, institute, ids)
  for (let from = 0; from < students.length; from += PART)
    yield students.slice(from, from + PART).map(({ id }) => id)
}

/** What the code of a card is: an address that asks for what is due, or the student's own UPI ID, for apps that pay any amount. */
export const CARD_CODES = ['page', 'upi'] as const
type CardCode = (typeof CARD_CODES)[number]

/** Cards that students carry, ten to a page. Of UPI codes there are those of students who have one. */
export async function studentCards(
  ctx: Pick<Context, 'db' | 'clock' | 'mode' | 'vault' | 'publicUrl'>,
  institute: Institute,
  studentIds: readonly string[],
  code: CardCode,
): Promise<Readable> {
  const listed = await listByClass(ctx, institute, studentIds)
  const payTo = code === 'upi' ? await upiIdsOf(ctx, institute, listed) : null
  const students = payTo === null ? listed : listed.filter(({ id }) => payTo.has(id))
  if (listed.length > 0 && students.length === 0)
    throw conflict('None of these has a UPI ID of its own. Give them account numbers first.')
  if (students.length === 0) throw conflict('Nobody fits: there is no card to print.')
  return printPile(cardSheets(ctx, institute, { students, payTo }), { instituteId: institute.id })
}

type PayTo = { upiId: string; link: string }

/** The UPI IDs of students who have one, with what an app reads. */
async function upiIdsOf(
  ctx: Pick<Context, 'db'>,
  institute: Institute,
  students: readonly store.StudentOnPaper[],
): Promise<ReadonlyMap<string, PayTo>> {
  const ids = students.map(({ id }) => id)
  const accounts = await listVirtualAccounts(ctx, institute.id, ids)
  return new Map(
    students.flatMap(({ id, fullname: who }) => {
      const account = accounts.get(id)
      const link = account === undefined ? null : studentUpiLink(account, { who, school: institute.name })
      return account === undefined || account.upiId === null || link === null
        ? []
        : [[id, { upiId: account.upiId, link }] as const]
    }),
  )
}

async function* cardSheets(
  ctx: Pick<Context, 'db' | 'clock' | 'mode' | 'vault' | 'publicUrl'>,
  institute: Institute,
  {
    students,
    payTo,
  }: { students: readonly store.StudentOnPaper[]; payTo: ReadonlyMap<string, PayTo> | null },
): AsyncGenerator<CardSheet[]> {
  const { title } = messageTextsIn('en').feeCard
  const madeAt = ctx.clock.now()
  for (let from = 0; from < students.length; from += PART) {
    const part = students.slice(from, from + PART)
    const phones = part.map(({ contactNumber: phone }) => ({ instituteId: institute.id, phone }))
    const languages = await languagesOf(ctx.db, phones)
    const cards = part.map((student, index) => {
      const on = { language: languages[index] ?? 'en', payTo: payTo?.get(student.id) }
      return cardOf(ctx, institute, student, on)
    })
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
  { language, payTo }: { language: Language; payTo: PayTo | undefined },
): CardSheet['cards'][number] {
  return {
    school: institute.name,
    name: fullname,
    lines: [classOf(gradeName, section), identifier],
    code: payTo?.link ?? printedCodeUrl(ctx, institute, id),
    scan:
      payTo === undefined
        ? besideEnglish(each => messageTextsIn(each).feeCard.scan, language)
        : `${messageTextsIn(language).feeCard.scanUpi} · ${payTo.upiId}`,
  }
}
