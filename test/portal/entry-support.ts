import { ERP } from '../harness/samples.ts'
import { assertStatus, openContract, register, unique } from '../http/support.ts'

/** A Bursar with parents, and their ways in. */
export const INIT = `${ERP}/init`
export const contract = await openContract()
const { demo } = contract

export const tokenPath = (user: string): string => `${ERP}/users/${encodeURIComponent(user)}/access_token`

export async function parentOf(
  student: Record<string, unknown> = {},
): Promise<{ user: string; studentId: string }> {
  const user = unique('parent')
  const answer = await register(demo, user, student, {
    fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 60000 }],
  })
  assertStatus(answer, 201)
  return { user, studentId: answer.body.data.service_student_id }
}

export async function tokenOf(user: string): Promise<string> {
  const answer = await demo.post(tokenPath(user))
  assertStatus(answer, 201)
  return answer.body.data.access_token
}

export const entrance = (token: string, rest: Record<string, string> = {}): string =>
  `/login-redirect?${new URLSearchParams({ access_token: token, ...rest }).toString()}`
