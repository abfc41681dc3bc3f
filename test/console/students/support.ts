import assert from 'node:assert/strict'
import { startBursar, type TestBursar } from '../../harness/bursar.ts'
import type { Client, Json } from '../../harness/client.ts'
import { ERP, sampleStudent } from '../../harness/samples.ts'
import { API, assertAnswer, createPerson, demoVisitor, type Visitor } from '../support.ts'

export const SCHOOL = `${API}/institutes/demo-school`
export const STUDENTS = `${SCHOOL}/students`
export const TUITION = { component_type: 'TUITION_FEE', fee_amount: 60_000 }
export const SIBLING = { discount_type: 'SIBLING', value: 5_000 }

/** Demo School with three people in its console, and students as they come. */
export class StudentDesk {
  readonly bursar: TestBursar
  readonly owner: Visitor
  readonly finance: Visitor
  readonly viewer: Visitor
  #count = 0

  private constructor(bursar: TestBursar, people: { owner: Visitor; finance: Visitor; viewer: Visitor }) {
    this.bursar = bursar
    this.owner = people.owner
    this.finance = people.finance
    this.viewer = people.viewer
  }

  static async open(
    after: (done: () => Promise<void> | void) => void,
    env: Record<string, string> = {},
  ): Promise<StudentDesk> {
    const bursar = await startBursar({ after }, env)
    const person = (role: 'finance' | 'viewer') =>
      createPerson(bursar, { email: `${role}@school.example`, institute: 'demo-school', role })
    const owner = await demoVisitor(bursar.url)
    return new StudentDesk(bursar, {
      owner,
      finance: await person('finance'),
      viewer: await person('viewer'),
    })
  }

  nextParent(): string {
    return `parent-${++this.#count}`
  }

  async register(
    changes: Record<string, unknown> = {},
    options: { client?: Client; parent?: string; fees?: Json[] } = {},
  ): Promise<string> {
    const { client = this.bursar.demo, parent = this.nextParent(), fees = [TUITION] } = options
    const student = sampleStudent({ identifier: `ADM-${++this.#count}`, ...changes })
    const answer = await client.post(`${ERP}/users/${parent}/students`, { student, fee_components: fees })
    assert.equal(answer.status, 201, answer.text)
    return answer.body.data.service_student_id
  }

  /** The newest entry of the audit log about a student. */
  async lastAct(studentId: string): Promise<Json> {
    const { body } = await this.owner.get(`${SCHOOL}/audit?about=${studentId}&limit=1`)
    return body.data[0]
  }

  async page(studentId: string): Promise<Json> {
    const answer = await this.viewer.get(`${STUDENTS}/${studentId}`)
    assertAnswer(answer, '200')
    return answer.body.data
  }
}
