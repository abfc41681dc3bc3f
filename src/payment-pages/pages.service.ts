import { requireReturnUrl } from '../orders/orders.rules.ts'
import { checkCatalogue, joinCatalogue, type CodeInUse } from '../institutes/catalogue.service.ts'
import { branchFor, type Institute } from '../institutes/institutes.rules.ts'
import { closeUnpaid } from '../orders/order-payments.service.ts'
import type { Queryable, Transaction } from '../platform/db/database.ts'
import { isUniqueViolation } from '../platform/db/errors.ts'
import { badField, badFields, conflict, notFound } from '../platform/errors.ts'
import type { Context } from '../platform/context.ts'
import { transact, type Command } from '../platform/idempotency.ts'
import type { PaymentContext } from '../payments/context.ts'
import { refuseUnchargeable } from '../payments/parts/parts.service.ts'
import { newId } from '../platform/ids.ts'
import {
  termsProblems,
  toLine,
  type SentTerms,
  slugOf,
  slugWithId,
  stateOf,
  type Page,
  type PageState,
  type PageTerms,
} from './pages.rules.ts'
import * as store from './pages.store.ts'

export { COUNTED, toCounted, type CountedRow } from './pages.store.ts'

/** A page with how it stands. */
export type PageFile = { page: Page; url: string; paid: number; state: PageState }

export type NewPage = SentTerms & { title: string; lines: NonNullable<SentTerms['lines']> } & {
  collectorCode: string | null
}

export type CreatedPage = { pageId: string; url: string }

export async function createPage(
  ctx: PaymentContext,
  command: Command<CreatedPage>,
  institute: Institute,
  { collectorCode: sent, ...wanted }: NewPage,
): Promise<CreatedPage> {
  const collectorCode = branchFor(institute, sent)
  const now = ctx.clock.now()
  const slug = wanted.slug ?? slugOf(wanted.title)
  const terms = { ...EMPTY, ...(await understood(ctx, institute, wanted)), title: wanted.title, slug }
  if (terms.closesAt !== null && terms.closesAt <= now) throw badField('closes_at', 'must be in the future')
  await refuseUnchargeable(ctx, { instituteId: institute.id, collectorCode, lines: terms.lines })
  const page: Page = { ...terms, id: newId('page'), collectorCode, createdAt: now, updatedAt: now }
  const slugs = wanted.slug === undefined ? [slug, slugWithId(slug, page.id)] : [slug]
  return transact(ctx.db, command, async tx => {
    await joinCatalogue(tx, institute, codesInUse(page))
    for (const candidate of slugs) {
      const made = { ...page, slug: candidate }
      if (await store.insertPage(tx, institute.id, made))
        return { pageId: page.id, url: urlOf(ctx, institute, made) }
    }
    throw await slugTaken(tx, institute, slug)
  })
}

const EMPTY: Omit<PageTerms, 'slug' | 'title'> = {
  lines: [],
  description: null,
  fields: [],
  isPublished: true,
  closesAt: null,
  maxPayments: null,
  callbackUrl: null,
  successMessage: null,
}

/** Changes what was sent and leaves the rest. Unpublishing also closes the orders that nobody has paid yet. */
export async function updatePage(
  ctx: PaymentContext,
  command: Command<PageFile>,
  { institute, id }: { institute: Institute; id: string },
  sent: SentTerms,
): Promise<PageFile> {
  const changes = await understood(ctx, institute, sent)
  const change = async (tx: Transaction): Promise<PageFile> => {
    const now = ctx.clock.now()
    await joinCatalogue(tx, institute, codesInUse(changes))
    const before = await store.lockPage(tx, institute.id, id)
    if (before === null) throw notFound('This page')
    const page: Page = { ...before, ...changes, updatedAt: now }
    const { collectorCode } = before
    const { lines } = changes
    if (lines !== undefined)
      await refuseUnchargeable(ctx, { instituteId: institute.id, collectorCode, lines })
    const { closesAt } = page
    if (closesAt !== null && closesAt <= now && closesAt.getTime() !== before.closesAt?.getTime())
      throw badField('closes_at', 'must be in the future; unpublish the page to close it at once')
    await store.updatePage(tx, institute.id, page)
    if (before.isPublished && !page.isPublished)
      await closeUnpaid(tx, institute.id, await store.listUnpaid(tx, institute.id, id), now)
    return read(tx, ctx, institute, id)
  }
  try {
    return await transact(ctx.db, command, change)
  } catch (error) {
    if (!isUniqueViolation(error, 'payment_pages_slug')) throw error
    throw await slugTaken(ctx.db, institute, changes.slug ?? '')
  }
}

export async function getPage(ctx: Context, institute: Institute, id: string): Promise<PageFile> {
  return read(ctx.db, ctx, institute, id)
}

async function read(db: Queryable, ctx: Context, institute: Institute, id: string): Promise<PageFile> {
  const now = ctx.clock.now()
  const counted = await store.findPage(db, institute.id, { id, now })
  if (counted === null) throw notFound('This page')
  return fileOf(ctx, institute, counted, now)
}

/** Finds the page at a public address; null when there is none. */
export async function findPageBySlug(
  ctx: Context,
  institute: Institute,
  slug: string,
): Promise<PageFile | null> {
  const id = await store.findIdBySlug(ctx.db, institute.id, slug)
  return id === null ? null : getPage(ctx, institute, id)
}

/** The page as it stands at a moment. */
export function fileOf(
  ctx: Context,
  institute: Institute,
  { page, paid, paying }: store.CountedPage,
  now: Date,
): PageFile {
  const state = stateOf(page, { taken: paid + paying, now })
  return { page, url: urlOf(ctx, institute, page), paid, state }
}

function urlOf({ publicUrl }: Context, institute: Institute, { slug }: Page): string {
  return `${publicUrl}/p/${institute.code}/${slug}`
}

/** Checks the terms that an institute sent and answers them as they are stored. */
async function understood(
  { db, mode }: Context,
  institute: Institute,
  { lines, ...rest }: SentTerms,
): Promise<Partial<PageTerms>> {
  requireReturnUrl(rest.callbackUrl, mode)
  const problems = termsProblems({ ...rest, ...(lines === undefined ? {} : { lines }) })
  const grade = rest.fields?.findIndex(({ key, options }) => key === 'grade' && options.length === 0) ?? -1
  // Parents are no part of the institute: what they type must not meet a closed catalogue.
  if (grade >= 0 && institute.strictCatalogue) {
    const message = 'is required: this institute takes only grades of its catalogue'
    problems.push({ key: `fields.${grade}.options`, message })
  }
  if (problems.length > 0) throw badFields(problems)
  const terms = { ...rest, ...(lines === undefined ? {} : { lines: lines.map(toLine) }) }
  await checkCatalogue(db, institute, codesInUse(terms))
  return terms
}

/** Codes that the institute itself uses on the page; what payers type joins no catalogue. */
function codesInUse({ lines = [], fields = [] }: Partial<PageTerms>): CodeInUse[] {
  const components = lines.map(({ componentType: code }, index): CodeInUse => {
    return { kind: 'component', code, key: `details.${index}.component_type` }
  })
  const grades = fields.flatMap(({ key, options }, at) =>
    key === 'grade'
      ? options.map((code, index): CodeInUse => ({
          kind: 'grade',
          code,
          key: `fields.${at}.options.${index}`,
        }))
      : [],
  )
  return [...components, ...grades]
}

async function slugTaken(db: Queryable, institute: Institute, slug: string) {
  const pageId = await store.findIdBySlug(db, institute.id, slug)
  return conflict(`Another page has the slug ${slug}. Choose another.`, { page_id: pageId ?? '' })
}
