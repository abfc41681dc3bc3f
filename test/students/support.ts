import assert from 'node:assert/strict'
import { pullStudent, type Pulled, type PullReason } from '../../src/erp/pull/pull.service.ts'
import type { TestBursar } from '../harness/bursar.ts'
import type { Client, Json } from '../harness/client.ts'
import type { FakeErp } from '../harness/fakes/erp.ts'
import { ERP, sampleStudent } from '../harness/samples.ts'

export const SANDBOX_ERP = '/api/v1/sandbox/erp'

/** Registers a student of Demo School, or of another client's institute; answers its id. */
export async function registerStudent(
  client: Client,
  student: Record<string, unknown> = {},
  rest: Record<string, unknown> = {
    fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 60000 }],
  },
): Promise<string> {
  const body = { student: sampleStudent(student), ...rest }
  const answer = await client.post(`${ERP}/users/parent-1/students`, body)
  assert.equal(answer.status, 201, answer.text)
  return answer.body.data.service_student_id
}

export async function setErp(client: Client, erp: Pick<FakeErp, 'url'>, extras: object = {}): Promise<Json> {
  const answer = await client.send('PUT', SANDBOX_ERP, { url: erp.url, ...extras })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data
}

export async function instituteId(bursar: TestBursar, code = 'demo-school'): Promise<number> {
  const [row] = await bursar.sql<{ id: number }>('select id from institutes where code = $1', [code])
  return row?.id ?? assert.fail(code)
}

/** Pulls a student of Demo School. */
export async function pull(
  bursar: TestBursar,
  studentId: string,
  reason: PullReason = 'presentation',
): Promise<Pulled> {
  return pullStudent(bursar.app.ctx, {
    instituteId: await instituteId(bursar),
    studentId,
    reason,
  })
}

export async function fetchesOf(client: Client, studentId: string): Promise<Json[]> {
  return (await client.get(`${ERP}/students/${studentId}/fetches`)).body.data
}
