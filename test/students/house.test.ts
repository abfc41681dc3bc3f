import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Json } from '../harness/client.ts'
import { sampleRecord, startFakeErp } from '../harness/fakes/erp.ts'
import { ERP } from '../harness/samples.ts'
import { assertAnswer } from '../console/support.ts'
import { StudentDesk, STUDENTS } from '../console/students/support.ts'
import { csv, importFile, studentRow } from '../imports/support.ts'
import { textOf, visitAs } from '../portal/parents-support.ts'
import { pull, setErp } from './support.ts'

/** An optional field of a student, on every side that a student has. */
const desk = await StudentDesk.open(after)
const { bursar, finance } = desk
const { demo } = bursar
const erp = await startFakeErp({ after })

async function houseOf(id: string): Promise<unknown> {
  return (await demo.get(`${ERP}/students/${id}`)).body.data.house
}

async function changesOf(id: string): Promise<Json[]> {
  const { body } = await demo.get(`${ERP}/students/${id}/changes`)
  return body.data.flatMap((one: Json) => one.changes)
}

test('the house of a student is registered, read, listed by, corrected, cleared and carried by events', async () => {
  const id = await desk.register({ house: 'Tagore' })
  assert.equal(await houseOf(id), 'Tagore')
  const [event] = (await demo.get(`${ERP}/events?order=newest&limit=1`)).body.data
  assert.equal(event.payload.student.house, 'Tagore')
  const { body } = await demo.get(`${ERP}/students?house=Tagore`)
  assert.deepEqual(
    body.data.map((one: Json) => one.service_student_id),
    [id],
  )
  assert.deepEqual((await demo.get(`${ERP}/students?house=Raman`)).body.data, [])
  assertAnswer(await demo.patch(`${ERP}/students/${id}`, { house: 'Raman' }), '200')
  assertAnswer(await demo.patch(`${ERP}/students/${id}`, { house: null }), '200')
  assert.deepEqual(await changesOf(id), [
    { field: 'house', before: 'Raman' },
    { field: 'house', before: 'Tagore', after: 'Raman' },
  ])
  assert.equal(await houseOf(id), undefined)
})

test('the house of a student is edited in the console with a reason, and parents see it', async () => {
  const parent = desk.nextParent()
  const id = await desk.register({}, { parent })
  assert.equal((await desk.page(id)).house, undefined)
  const path = `${STUDENTS}/${id}`
  assertAnswer(await desk.viewer.send('PATCH', path, { house: 'Bose', reason: 'x' }), '403 AUE00001')
  assertAnswer(await finance.send('PATCH', path, { house: 'Bose' }), '400 HUE00000')
  assertAnswer(await finance.send('PATCH', path, { house: 'Bose', reason: 'Drawn by lot' }), '200')
  assert.equal((await desk.page(id)).house, 'Bose')
  const act = await desk.lastAct(id)
  assert.deepEqual([act.what, act.why, act.after], ['student.changed', 'Drawn by lot', { house: 'Bose' }])
  const visitor = await visitAs(bursar, parent)
  assert.match(textOf((await visitor.get(`/parents/students/${id}`)).text), /2026-27 · Bose/)
})

test('the house of a student comes by file and by pull; a file or record without it leaves it', async () => {
  const row = studentRow({ identifier: 'HOUSE-1' })
  assert.equal(
    (await importFile(bursar, 'kind=students', csv([{ ...row, house: 'Tagore' }]))).rows.applied,
    1,
  )
  const [student] = (await demo.get(`${ERP}/students?identifier=HOUSE-1`)).body.data
  assert.equal(student.house, 'Tagore')
  await importFile(bursar, 'kind=students', csv([{ ...row, fullname: 'Kabir R. Rao' }]))
  const id = student.service_student_id
  assert.equal(await houseOf(id), 'Tagore')
  await setErp(demo, erp)
  erp.put(sampleRecord({ identifier: 'HOUSE-1', house: 'Raman' }))
  assert.equal((await pull(bursar, id)).kind, 'found')
  assert.equal(await houseOf(id), 'Raman')
  erp.put(sampleRecord({ identifier: 'HOUSE-1' }))
  assert.equal((await pull(bursar, id)).kind, 'found')
  assert.equal(await houseOf(id), 'Raman')
})
