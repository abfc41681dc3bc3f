import assert from 'node:assert/strict'
import { advanceImport, finishImport } from '../../src/imports/engine/steps.service.ts'
import type { TestBursar } from '../harness/bursar.ts'
import type { Answer, Client, Json } from '../harness/client.ts'
import { ERP, sampleStudent } from '../harness/samples.ts'
import { instituteId } from '../students/support.ts'

export const IMPORTS = `${ERP}/imports`
export const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

export type File = string | Uint8Array<ArrayBuffer>

/** The file as the body, with a Content-Type of its own. */
export async function upload(
  client: Client,
  query: string,
  file: File,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return client.send('POST', `${IMPORTS}?${query}`, file, { 'content-type': 'text/csv', ...headers })
}

/** Uploads a file for Demo School, or another, and does what a worker would; answers the import as it ended. */
export async function importFile(
  bursar: TestBursar,
  query: string,
  file: File,
  { client = bursar.demo, institute = 'demo-school' } = {},
): Promise<Json> {
  const answer = await upload(client, query, file)
  assert.equal(answer.status, 201, answer.text)
  const { id } = answer.body.data
  await finishImport(bursar.app.ctx, { instituteId: await instituteId(bursar, institute), id })
  return getImport(client, id)
}

/** One step of a worker, for an import of Demo School's. */
export async function advance(bursar: TestBursar, id: string): Promise<void> {
  await advanceImport(bursar.app.ctx, { instituteId: await instituteId(bursar), id })
}

/** Does what workers do, for an import of Demo School's. */
export async function finish(bursar: TestBursar, id: string): Promise<void> {
  await finishImport(bursar.app.ctx, { instituteId: await instituteId(bursar), id })
}

export async function getImport(client: Client, id: string): Promise<Json> {
  const { status, text, body } = await client.get(`${IMPORTS}/${id}`)
  assert.equal(status, 200, text)
  return body.data
}

/** "row column message" each. */
export async function problemsOf(client: Client, id: string): Promise<string[]> {
  const { body } = await client.get(`${IMPORTS}/${id}/problems?limit=200`)
  return body.data.map((one: Json) => [one.row, one.column ?? '-', one.message].join(' '))
}

type Row = Record<string, string | number | boolean>

/** CSV with a header made of the first row's names. */
export function csv(rows: readonly Row[]): string {
  const names = Object.keys(rows[0] ?? {})
  const lines = rows.map(row => names.map(name => quote(String(row[name] ?? ''))).join(','))
  return `${[names.join(','), ...lines].join('\r\n')}\r\n`
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export function studentRow(changes: Row = {}): Row {
  return { registration_id: 'parent-1', ...(sampleStudent() as Row), ...changes }
}

const IDENTITY: Row = {
  identifier: 'ADM-1042',
  grade: '5',
  academic_year_start: 2026,
  academic_year_end: 2027,
}

export function feeRow(changes: Row = {}): Row {
  return {
    ...IDENTITY,
    component_type: 'TUITION_FEE',
    fee_amount: 60000,
    discount_type: '',
    discount_amount: '',
    ...changes,
  }
}

export function paymentRow(changes: Row = {}): Row {
  const payment = {
    transaction_id: 'CASH-1',
    component_type: 'TUITION_FEE',
    amount: 20000,
    paid_at: '2026-06-05',
    mode: 'cash',
  }
  return { ...IDENTITY, ...payment, settlement_utr: '', notes: '', ...changes }
}
