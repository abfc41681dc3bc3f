import type { FastifyInstance } from 'fastify'
import type { Finding } from './doctor.rules.ts'
import { addOperatorRead } from '../../console/auth/access.routes.ts'
import { all } from '../../http/reply.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { Context } from '../../platform/context.ts'

const finding = outputOf<Finding>()
const findingOutput = finding.object({
  subject: finding.text('What was looked at.', 'Public address'),
  verdict: finding.oneOf(['ok', 'warning', 'problem'], 'How it stands.'),
  text: finding.text('What was found, and what to do about it.', 'https://fees.example.in reaches Bursar'),
})

export type FindingAnswer = Shown<typeof findingOutput>

export type Examine = () => Promise<Finding[]>

/** What `bursar doctor` says, for the operator in the console. It calls other hosts, so requests at the same time share one look. */
export function doctorRoutes(app: FastifyInstance, ctx: Context, examine: Examine): void {
  let underWay: Promise<Finding[]> | null = null
  addOperatorRead(app, ctx, {
    url: '/doctor',
    output: all(findingOutput),
    async answer() {
      underWay ??= examine().finally(() => (underWay = null))
      return underWay
    },
  })
}
