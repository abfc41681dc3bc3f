import type { Institute } from '../../../institutes/institutes.rules.ts'
import { readOwed } from '../../../dues/dues.service.ts'
import { getInstitutesById } from '../../../institutes/institutes.service.ts'
import type { Attachment, AttachmentOf } from '../../../messages/senders.ts'
import { dayOf, formatDay } from '../../../platform/calendar.ts'
import type { Context } from '../../../platform/context.ts'
import { conflict, notFound } from '../../../platform/errors.ts'
import type { Queryable } from '../../../platform/db/database.ts'
import { transact, type Command } from '../../../platform/idempotency.ts'
import { formatRupees, ZERO, type Paise } from '../../../platform/money.ts'
import { classOf } from '../../../platform/names.ts'
import type { DocumentBlock, DocumentPrint } from '../../../receipts/document-pdf.ts'
import { readLetterhead } from '../../../receipts/letterhead.service.ts'
import { printDocument } from '../../../receipts/receipt-printer.ts'
import { schoolYearOf } from '../demand/demand.rules.ts'
import { readChoices } from '../../students/students.service.ts'
import { day, MEDIA_TYPES, money, text } from '../reports.rules.ts'
import { makeXlsxOf } from '../xlsx.ts'
import { classKey, readAttachmentName, sheetNames, sheetsOf } from './class-sheets.rules.ts'
import type { ClassKey, ClassSheet, LateChild } from './class-sheets.rules.ts'
import * as store from './class-sheets.store.ts'

/** A school with more late children or classes prints its sheets branch by branch. */
const MOST_LATE = 5_000
const MOST_CLASSES = 1_000

export type ListedClass = ClassKey & {
  title: string
  students: number
  late: number
  owedPaise: Paise
  onTheWayPaise: Paise
  teacherName: string | null
  teacherEmail: string | null
}

/** Every class with its teacher, and how many of its children are late. */
export async function listClassSheets(ctx: Context, institute: Institute): Promise<ListedClass[]> {
  const [classes, teachers, sheets, titleOf] = await Promise.all([
    listClasses(ctx.db, ctx, institute.id),
    store.listTeachers(ctx.db, institute.id),
    readSheets(ctx, institute, {}),
    readTitles(ctx, institute),
  ])
  const teacherOf = new Map(teachers.map(one => [classKey(one), one]))
  const sheetOf = new Map(sheets.map(one => [classKey(one), one]))
  return titleOf.inOrder(classes).map(one => {
    const [teacher, sheet] = [teacherOf.get(classKey(one)), sheetOf.get(classKey(one))]
    return {
      ...one,
      title: titleOf(one),
      late: sheet?.children.length ?? 0,
      owedPaise: sheet?.owedPaise ?? ZERO,
      onTheWayPaise: sheet?.onTheWayPaise ?? ZERO,
      teacherName: teacher?.name ?? null,
      teacherEmail: teacher?.email ?? null,
    }
  })
}

function listClasses(
  db: Queryable,
  { clock }: Pick<Context, 'clock'>,
  instituteId: number,
): Promise<store.SchoolClass[]> {
  const year = schoolYearOf(dayOf(clock.now()))
  return store.listClasses(db, instituteId, { year, limit: MOST_CLASSES })
}

async function readSheets(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  institute: Pick<Institute, 'id'>,
  of: Partial<ClassKey>,
): Promise<ClassSheet[]> {
  const today = dayOf(clock.now())
  const late = await store.listLate(db, institute.id, {
    today,
    year: schoolYearOf(today),
    of,
    limit: MOST_LATE + 1,
  })
  if (late.length > MOST_LATE)
    throw conflict(`More than ${MOST_LATE} students are late. Choose a branch or a class.`)
  const keys = late.map(({ studentId }) => ({ instituteId: institute.id, studentId }))
  const owed = await readOwed(db, keys, today)
  return sheetsOf(late.map(one => ({ ...one, owedPaise: owed.get(one.studentId)?.overduePaise ?? ZERO })))
}

/** The name of a class as the school says it, with the branch where there are several; and the school's own order. */
async function readTitles(ctx: Context, institute: Institute) {
  const { branches, grades } = await readChoices(ctx, institute)
  const gradeName = new Map(grades.map(({ code, name }) => [code, name || code]))
  const branchName = new Map(branches.map(({ code, name }) => [code, name]))
  const place = new Map(grades.map(({ code }, index) => [code, index]))
  const titleOf = ({ collectorCode, grade, section }: ClassKey): string => {
    const own = classOf(gradeName.get(grade) ?? grade, section)
    return branches.length < 2 ? own : `${own}, ${branchName.get(collectorCode) ?? collectorCode}`
  }
  const inOrder = <Of extends ClassKey>(classes: readonly Of[]): Of[] =>
    classes.toSorted(
      (one, other) =>
        BY_NUMBER.compare(one.collectorCode, other.collectorCode) ||
        (place.get(one.grade) ?? place.size) - (place.get(other.grade) ?? place.size) ||
        BY_NUMBER.compare(`${one.grade} ${one.section}`, `${other.grade} ${other.section}`),
    )
  return Object.assign(titleOf, { inOrder })
}

const BY_NUMBER = new Intl.Collator('en', { numeric: true })

export async function setClassTeacher(
  ctx: Context,
  command: Command<void>,
  of: ClassKey,
  teacher: Pick<store.ClassTeacher, 'name' | 'email'> | null,
): Promise<void> {
  return transact(ctx.db, command, async tx => {
    const classes = await listClasses(tx, ctx, command.instituteId)
    if (!classes.some(one => classKey(one) === classKey(of))) throw notFound('This class')
    await store.setTeacher(tx, command.instituteId, of, teacher)
  })
}

export type SheetFile = { name: string; mediaType: string; content: Buffer }
export const SHEET_FORMATS = ['pdf', 'xlsx'] as const
type SheetFormat = (typeof SHEET_FORMATS)[number]

const TYPES: Record<SheetFormat, string> = { pdf: 'application/pdf', xlsx: MEDIA_TYPES.xlsx }

/** A page, or a sheet of a spreadsheet, for each class that somebody of is late. */
export async function makeClassSheets(
  ctx: Context,
  institute: Institute,
  of: Partial<ClassKey>,
  { format, isMailed = false }: { format: SheetFormat; isMailed?: boolean },
): Promise<SheetFile> {
  const titleOf = await readTitles(ctx, institute)
  const sheets = titleOf.inOrder(await readSheets(ctx, institute, of))
  if (sheets.length === 0) throw conflict('Nobody of these is late: there is no sheet to make.')
  const named = sheets.map(sheet => ({ ...sheet, title: titleOf(sheet) }))
  const today = dayOf(ctx.clock.now())
  return {
    name: `fees-overdue-${named.length === 1 ? `${plain(named[0]?.title)}-` : ''}${today}.${format}`,
    mediaType: TYPES[format],
    content:
      format === 'pdf'
        ? await printSheets(ctx, institute, named, isMailed)
        : await makeXlsxOf(institute.id, toTables(named)),
  }
}

type NamedSheet = ClassSheet & { title: string }

const plain = (title = ''): string => title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')

function toTables(sheets: readonly NamedSheet[]) {
  const names = sheetNames(sheets.map(({ title }) => title))
  const columns = [
    text<LateChild>('Admission no.', row => row.identifier),
    text<LateChild>('Student', row => row.fullname),
    text<LateChild>('Contact', row => row.contactName),
    text<LateChild>('Phone', row => row.contactNumber),
    day<LateChild>('Due since', row => row.oldestDueOn),
    money<LateChild>('Overdue with late fee', row => row.owedPaise),
    money<LateChild>('On the way', row => row.onTheWayPaise),
  ]
  return sheets.map(({ children }, index) => ({ name: names[index] ?? '', columns, rows: children }))
}

async function printSheets(
  ctx: Context,
  institute: Institute,
  sheets: readonly NamedSheet[],
  isMailed: boolean,
): Promise<Buffer> {
  const now = ctx.clock.now()
  const teachers = await store.listTeachers(ctx.db, institute.id)
  const teacherOf = new Map(teachers.map(one => [classKey(one), one.name]))
  const titled = sheets.map(sheet => ({ sheet, title: `Fees overdue: ${sheet.title}` }))
  const print: DocumentPrint = {
    institute: institute.name,
    letterhead: await readLetterhead(ctx, institute.id),
    branch: null,
    title: titled.length === 1 ? (titled[0]?.title ?? '') : 'Fees overdue',
    madeAt: now,
    blocks: titled.flatMap(({ sheet, title }, index) => [
      ...(index === 0 ? [] : [{ kind: 'next' as const, title }]),
      ...(index === 0 && titled.length > 1
        ? [{ kind: 'text' as const, text: sheet.title, isStrong: true }]
        : []),
      ...pageOf(sheet, { day: dayOf(now), teacher: teacherOf.get(classKey(sheet)) ?? null }),
    ]),
    isSandbox: ctx.mode === 'sandbox',
  }
  return printDocument(print, { instituteId: institute.id, isMailed })
}

type SheetOf = { day: string; teacher: string | null }

function pageOf(
  { title, children, owedPaise, onTheWayPaise }: NamedSheet,
  { day, teacher }: SheetOf,
): DocumentBlock[] {
  return [
    {
      kind: 'pairs',
      left: { Class: title, 'Class teacher': teacher },
      right: { 'As of': formatDay(day), Students: String(children.length) },
    },
    {
      kind: 'table',
      columns: [
        { title: 'Adm. no.', width: 3 },
        { title: 'Student', width: 5 },
        { title: 'Contact', width: 5 },
        { title: 'Due since', width: 3 },
        { title: 'Overdue with late fee', width: 4, isAmount: true },
        { title: 'On the way', width: 3, isAmount: true },
      ],
      rows: children.map(child => [
        child.identifier,
        child.fullname,
        `${child.contactName}, ${child.contactNumber}`,
        child.oldestDueOn === null ? '' : formatDay(child.oldestDueOn),
        formatRupees(child.owedPaise),
        child.onTheWayPaise === 0 ? '' : formatRupees(child.onTheWayPaise),
      ]),
      total: ['Total', '', '', '', formatRupees(owedPaise), formatRupees(onTheWayPaise)],
    },
    { kind: 'signature', label: 'Class teacher' },
  ]
}

/** Lists the classes with late children whose teacher has an e-mail address. */
export async function listSheetsToMail(
  ctx: Pick<Context, 'db' | 'clock'>,
  institute: Institute,
): Promise<{ sheet: ClassSheet; teacher: store.ClassTeacher & { email: string } }[]> {
  const [teachers, sheets] = await Promise.all([
    store.listTeachers(ctx.db, institute.id),
    readSheets(ctx, institute, {}),
  ])
  const sheetOf = new Map(sheets.map(one => [classKey(one), one]))
  return teachers.flatMap(({ email, ...teacher }) => {
    const sheet = sheetOf.get(classKey(teacher))
    return email === null || sheet === undefined ? [] : [{ sheet, teacher: { ...teacher, email } }]
  })
}

export async function hasTeacherToMail({ db }: Context, instituteId: number): Promise<boolean> {
  return (await store.listTeachers(db, instituteId)).some(({ email }) => email !== null)
}

/** The file of a mail to a class teacher, as of when it leaves; null when nobody of the class is late any more. */
export async function readSheetAttachment(
  ctx: Context,
  { instituteId, attachment, isMailed }: AttachmentOf,
): Promise<Attachment | null> {
  const of = readAttachmentName(attachment)
  const [institute] = of === null ? [] : await getInstitutesById(ctx, [instituteId])
  if (of === null || institute === undefined) return null
  if ((await readSheets(ctx, institute, of)).length === 0) return null
  const { name, mediaType, content } = await makeClassSheets(ctx, institute, of, { format: 'pdf', isMailed })
  return { filename: name, contentType: mediaType, content }
}
