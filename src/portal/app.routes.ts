import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Institute } from '../institutes/institutes.rules.ts'
import { findInstitute } from '../institutes/institutes.service.ts'
import { ICON_SIDES } from '../institutes/school/school.rules.ts'
import { findIcon } from '../institutes/school/school.service.ts'
import type { Context } from '../platform/context.ts'
import { notFound } from '../platform/errors.ts'
import { isIdShaped } from '../platform/ids.ts'
import { isLanguage } from '../platform/languages.ts'
import { OUR_COLOR, schoolHead, sendPage } from './layout.ts'
import { HOME } from './parents/access.ts'
import { textsIn } from './texts/texts.ts'

/** The pages of families as an app on a phone's home screen, one a school: name, colour, icons, a page without connection. */
const WORKER = readFileSync(new URL('templates/worker.js', import.meta.url), 'utf8')
const DAY = 'public, max-age=86400'
/** The address changes with what it answers. */
const FOR_EVER = 'public, max-age=31536000, immutable'

export function appRoutes(app: FastifyInstance, ctx: Context): void {
  const ofSchool =
    (handle: (institute: Institute, request: FastifyRequest, reply: FastifyReply) => unknown) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
      const { institute_code: code } = request.params as { institute_code: string }
      const institute = isIdShaped(code) ? await findInstitute(ctx, code) : null
      if (institute === null) throw notFound('This school')
      return handle(institute, request, reply)
    }
  app.get(
    '/brand/:institute_code/app.webmanifest',
    ofSchool((institute, _request, reply) =>
      reply
        .header('content-type', 'application/manifest+json')
        .header('cache-control', DAY)
        .send(manifestOf(institute)),
    ),
  )
  app.get(
    '/brand/:institute_code/icon.svg',
    ofSchool((institute, _request, reply) =>
      reply.header('content-type', 'image/svg+xml').header('cache-control', DAY).send(drawLetters(institute)),
    ),
  )
  app.get(
    '/brand/:institute_code/icon/:side/:tag',
    ofSchool(async (institute, request, reply) => {
      const { side, tag } = request.params as { side: string; tag: string }
      const offered = ICON_SIDES.find(one => String(one) === side)
      const icon =
        offered !== undefined && isIdShaped(tag)
          ? await findIcon(ctx, institute, { tag, side: offered })
          : null
      if (icon === null) throw notFound('This icon')
      return reply.header('content-type', 'image/png').header('cache-control', FOR_EVER).send(icon)
    }),
  )
  app.get(
    '/brand/:institute_code/offline/:language',
    ofSchool((institute, request, reply) => {
      const { language } = request.params as { language: string }
      if (!isLanguage(language)) throw notFound('This language')
      const { heading, say, again } = textsIn(language).offline
      return sendPage(reply, {
        template: 'message',
        title: heading,
        language,
        hasSwitch: false,
        data: { ...schoolHead(institute), heading, say, link: { url: HOME, text: again } },
      })
    }),
  )
  app.get(`${HOME}/worker.js`, (_request, reply) =>
    reply
      .header('content-type', 'text/javascript; charset=utf-8')
      .header('cache-control', 'no-cache')
      // It stands below the pages that it serves, one of which has no slash at its end.
      .header('service-worker-allowed', HOME)
      .header('content-security-policy', "default-src 'none'; connect-src 'self'")
      .send(WORKER),
  )
}

function manifestOf({ code, name, color, logoTag, familyLanguage }: Institute): Record<string, unknown> {
  const root = `/brand/${code}`
  return {
    id: `${HOME}?school=${code}`,
    name,
    short_name: name,
    lang: familyLanguage ?? 'en',
    start_url: `${HOME}?school=${code}`,
    scope: HOME,
    display: 'standalone',
    theme_color: color ?? OUR_COLOR,
    background_color: '#ffffff',
    icons:
      logoTag === null
        ? [{ src: `${root}/icon.svg`, sizes: 'any', type: 'image/svg+xml' }]
        : ICON_SIDES.map(side => ({
            src: `${root}/icon/${side}/${logoTag}`,
            sizes: `${side}x${side}`,
            type: 'image/png',
          })),
  }
}

/** The first letters of two words of the name, for a school without a logo. */
function drawLetters({ name, color }: Institute): string {
  const words = name.split(/\s+/).filter(word => /^\p{L}/u.test(word))
  const letters = words.slice(0, 2).map(word => [...new Intl.Segmenter().segment(word)][0]?.segment ?? '')
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512"><rect width="512" height="512" fill="${color ?? OUR_COLOR}"/><text x="256" y="256" dy=".36em" text-anchor="middle" font-family="sans-serif" font-weight="600" font-size="220" fill="#fff">${letters.join('').toUpperCase()}</text></svg>`
}
