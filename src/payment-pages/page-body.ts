import type { Static } from 'typebox'
import type { SentLine, SentTerms } from './page-terms.rules.ts'
import type { PageField } from './pages.rules.ts'
import type * as schemas from './pages.schemas.ts'
import type { NewPage } from './pages.service.ts'

type CreateBody = Static<typeof schemas.CreatePageBody>
type UpdateBody = Static<typeof schemas.UpdatePageBody>

/** What was sent of a page, as the service takes it. */
export function toNewPage(body: CreateBody): NewPage {
  return {
    ...toTerms(body),
    title: body.title,
    lines: body.details.map(toLine),
    collectorCode: body.collector_code,
  }
}

/** What was sent, and nothing of what was not: absent is left as it is. */
export function toTerms(body: UpdateBody | CreateBody): SentTerms {
  const terms = {
    slug: body.slug,
    title: body.title,
    description: body.description,
    lines: body.details?.map(toLine),
    fields: body.fields === null ? [] : body.fields?.map(toField),
    isPublished: body.is_published,
    closesAt: body.closes_at,
    maxPayments: body.max_payments,
    callbackUrl: body.callback_url,
    successMessage: body.success_message,
  }
  return Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== undefined))
}

function toLine(line: CreateBody['details'][number]): SentLine {
  return {
    componentType: line.component_type,
    label: line.label ?? null,
    isOptional: line.is_optional ?? false,
    amountPaise: line.amount,
    minPaise: line.min_amount,
    maxPaise: line.max_amount,
    maxQuantity: line.max_quantity,
  }
}

function toField(asked: NonNullable<CreateBody['fields']>[number]): PageField {
  return {
    key: asked.key,
    label: asked.label ?? null,
    isRequired: asked.is_required ?? false,
    options: asked.options ?? [],
  }
}
