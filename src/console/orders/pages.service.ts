import type { Institute } from '../../institutes/institutes.rules.ts'
import type { SentTerms } from '../../payment-pages/page-terms.rules.ts'
import { getPage, updatePage, type PageFile } from '../../payment-pages/pages.service.ts'
import { badField } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { innerCommand, type Command } from '../../platform/idempotency.ts'

export type ChangedPage = { before: PageFile; after: PageFile }

/** Closing a page stops money, so it needs a reason. */
export async function changePage(
  ctx: Context,
  command: Command<ChangedPage>,
  target: { institute: Institute; id: string },
  { terms, reason }: { terms: SentTerms; reason: string | undefined },
): Promise<ChangedPage> {
  const before = await getPage(ctx, target.institute, target.id)
  if (terms.isPublished === false && before.page.isPublished && reason === undefined)
    throw badField('reason', 'is required: nobody can pay on a page that is taken off')
  const complete = (after: PageFile): ChangedPage => ({ before, after })
  return complete(await updatePage(ctx, innerCommand(command, complete), target, terms))
}
