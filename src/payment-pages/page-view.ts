import { toRupees } from '../platform/money.ts'
import type { PageField, PageLine } from './pages.rules.ts'
import type { PageFile } from './pages.service.ts'

/** A page as the API answers it. What was not provided is absent: an undefined value leaves no key in JSON. */
export function pageView({ page, url, paid, state }: PageFile): Record<string, unknown> {
  return {
    page_id: page.id,
    url,
    slug: page.slug,
    collector_code: page.collectorCode,
    title: page.title,
    description: page.description ?? undefined,
    details: page.lines.map(lineView),
    fields: page.fields.map(fieldView),
    is_published: page.isPublished,
    status: state,
    closes_at: page.closesAt?.toISOString(),
    max_payments: page.maxPayments ?? undefined,
    paid_count: paid,
    callback_url: page.callbackUrl ?? undefined,
    success_message: page.successMessage ?? undefined,
    created_at: page.createdAt.toISOString(),
    updated_at: page.updatedAt.toISOString(),
  }
}

function lineView({ componentType, label, price, isOptional }: PageLine) {
  return {
    component_type: componentType,
    label: label ?? undefined,
    ...(price.kind === 'fixed'
      ? { amount: toRupees(price.amountPaise), max_quantity: price.maxQuantity }
      : {
          min_amount: toRupees(price.minPaise),
          max_amount: price.maxPaise === null ? undefined : toRupees(price.maxPaise),
        }),
    is_optional: isOptional,
  }
}

function fieldView({ key, label, isRequired, options }: PageField) {
  return {
    key,
    label: label ?? undefined,
    is_required: isRequired,
    options: options.length === 0 ? undefined : options,
  }
}
