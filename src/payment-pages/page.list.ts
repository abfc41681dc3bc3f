import { column, defineList } from '../http/lists/define-list.ts'
import { defineRows, filter, ofBranch } from '../http/lists/define-rows.ts'
import { field } from '../http/wire/input.ts'
import type { Shown } from '../http/wire/output.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import { by } from '../platform/db/sorted-list.ts'
import type { Context } from '../platform/context.ts'
import { PAGE_ID, pageFields, toShownPage, type ShownPage } from './page.schemas.ts'
import { stateOf } from './pages.rules.ts'
import { COUNTED, fileOf, toCounted, type CountedRow } from './pages.service.ts'

const filters = {
  status: filter(field.oneOf(['published', 'unpublished'], 'Only published ones, or only the others.'), {
    label: 'Status',
    where: status => ['g.is_published = $1', status === 'published'],
  }),
  collector_code: ofBranch('g.collector_code'),
}

const rows = defineRows({
  cursor: PAGE_ID,
  select: COUNTED,
  values: now => [now],
  from: 'payment_pages g',
  filters,
  scope: ({ id }: Institute) => [['g.institute_id = $1', id]],
  order: ['created_at', 'id'],
  direction: 'desc',
  toRow: (row: CountedRow) => row,
})

const show = (ctx: Context, institute: Institute, found: readonly CountedRow[]): ShownPage[] =>
  found.map(row => toShownPage(fileOf(ctx, institute, toCounted(row), ctx.clock.now())))

const { page_id, url, title, status, collector_code, paid_count, closes_at, created_at, ...others } =
  pageFields

/** Payment pages, the newest first. */
export const pageList = defineList({
  file: 'payment-pages',
  title: 'Payment pages',
  noun: ['payment page', 'payment pages'],
  key: 'id',
  columns: {
    page_id: column(page_id, { title: 'Page', only: 'file' }),
    title: column(title, { title: 'Title', sort: by.name }),
    status: column(status, {
      title: 'Status',
      cell: ({ paid, paying, ...page }: CountedRow, now) => stateOf(page, { taken: paid + paying, now }),
    }),
    collector_code: column(collector_code, { title: 'Branch', sort: by.text('"collectorCode"') }),
    paid_count: column(paid_count, {
      title: 'Paid',
      sort: by.number('paid'),
      cell: ({ paid }: CountedRow) => paid,
    }),
    closes_at: column(closes_at, { title: 'Closes (IST)', sort: by.moment }),
    url: column(url, { title: 'Address', only: 'page' }),
    created_at: column(created_at, { title: 'Made (IST)', sort: by.moment }),
    ...others,
  },
  onPage: ['title', 'status', 'paid_count', 'closes_at', 'url', 'created_at'],
  filters,
  rows: {
    async page(ctx, institute, wanted, range) {
      const found = await rows.page(ctx, institute, wanted, range)
      return { ...found, rows: show(ctx, institute, found.rows) }
    },
    all: (ctx, institute, wanted) => rows.all(ctx, institute, wanted),
    shown: show,
  },
})

export type PageRowAnswer = Shown<typeof pageList.output>
