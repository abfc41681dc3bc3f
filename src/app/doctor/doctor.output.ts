import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { Finding } from './doctor.rules.ts'

const finding = outputOf<Finding>()
export const findingOutput = finding.object({
  subject: finding.text('What was looked at.', 'Public address'),
  verdict: finding.oneOf(['ok', 'warning', 'problem'], 'How it stands.'),
  text: finding.text('What was found, and what to do about it.', 'https://fees.example.in reaches Bursar'),
})

export type FindingAnswer = Shown<typeof findingOutput>
