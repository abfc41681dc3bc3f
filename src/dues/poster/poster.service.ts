import type { Institute } from '../../institutes/institutes.rules.ts'
import { FAMILY_ADDRESS } from '../../institutes/institutes.service.ts'
import { besideEnglish, messageTextsIn } from '../../messages/texts/texts.ts'
import type { Context } from '../../platform/context.ts'
import { conflict } from '../../platform/errors.ts'
import { fill, type Language } from '../../platform/languages.ts'
import type { DocumentPrint } from '../../receipts/document-pdf.ts'
import { readLetterhead } from '../../receipts/letterhead.service.ts'
import { printDocument } from '../../receipts/receipt-printer.ts'

/** Where the code on a school's poster leads: to a page on which a family names its child. */
export function posterPath({ code }: Pick<Institute, 'code'>): string {
  return `${FAMILY_ADDRESS}/${code}/pay`
}

export function posterUrl({ publicUrl }: Pick<Context, 'publicUrl'>, institute: Institute): string {
  return `${publicUrl}${posterPath(institute)}`
}

/** The poster on A4, in English and in another language of the school's. */
export async function printPoster(
  ctx: Context,
  institute: Institute,
  language: Language | undefined,
): Promise<{ name: string; content: Buffer }> {
  if (!institute.hasPoster)
    throw conflict('The page behind the poster is off. Turn it on in Settings, Families first.')
  const beside = language ?? institute.familyLanguage ?? 'en'
  const print: DocumentPrint = {
    institute: institute.name,
    letterhead: await readLetterhead(ctx, institute.id),
    branch: null,
    title: besideEnglish(each => messageTextsIn(each).poster.title, beside),
    madeAt: ctx.clock.now(),
    isSandbox: ctx.mode === 'sandbox',
    blocks: [posterBlock(posterUrl(ctx, institute), beside)],
  }
  const content = await printDocument(print, { instituteId: institute.id })
  return { name: `poster-${institute.code}.pdf`, content }
}

function posterBlock(url: string, language: Language): DocumentPrint['blocks'][number] {
  const columns = [...new Set([language, 'en' as const])].map(each => {
    const t = messageTextsIn(each).poster
    return { heading: t.heading, steps: [t.scan, t.name, t.pay].map((step, at) => `${at + 1}.  ${step}`) }
  })
  const shown = url.replace(/^https?:\/\//, '')
  return {
    kind: 'poster',
    code: url,
    columns,
    foot: fill(messageTextsIn(language).poster.address, { url: shown }),
  }
}
