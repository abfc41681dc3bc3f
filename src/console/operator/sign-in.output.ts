import { outputOf, type Shown } from '../../http/wire/output.ts'

const out = outputOf<boolean>()
export const signInRulesOutput = out.object({
  second_factor_required: out.flag(
    'Whether everybody needs a second factor.',
    false,
    isRequired => isRequired,
  ),
})
export type SignInRulesAnswer = Shown<typeof signInRulesOutput>
