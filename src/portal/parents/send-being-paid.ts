import type { FastifyReply } from 'fastify'
import { findStartedDues } from '../../dues/started.service.ts'
import { listChildren } from '../../students/users/parents.service.ts'
import { sendPage } from '../layout.ts'
import { frameOf, userOf, type Visit } from './access.ts'
import { describeBeingPaid } from './being-paid-page.ts'
import type { ParentContext } from './read-children.ts'

type Sent = {
  /** Whose fees the parent wants to pay. */
  children: readonly { studentId: string; name: string }[]
  form: Parameters<typeof describeBeingPaid>[0]['form']
}

/** Says who is at the bank's page for one of these children; null when nobody is. */
export async function sendBeingPaid(
  ctx: ParentContext,
  visit: Visit,
  { children, form }: Sent,
): Promise<FastifyReply | null> {
  const { session, texts, language, reply } = visit
  const { institute, registrationId } = session
  for (const { studentId, name: studentName } of children) {
    const started = await findStartedDues(ctx, institute.id, studentId)
    if (started === null) continue
    const own = new Set(await listChildren(ctx, userOf(session)))
    const pageData = { institute, studentName, own, started, registrationId, form, language }
    const { title, data } = describeBeingPaid(pageData, texts)
    return sendPage(reply, {
      template: 'parents/being-paid',
      title,
      status: 409,
      // The language switch is a GET link, and this address only answers POST.
      hasSwitch: false,
      language,
      data: { ...frameOf(visit, ctx), ...data },
    })
  }
  return null
}
