import { resolve } from 'node:path'
import { after, test } from 'node:test'
import { compileGo, compileJava, skipWithout } from '../sdk/languages.ts'
import { assertReceives, startReceiver } from './receivers.ts'

const FOLDER = resolve(import.meta.dirname, '../../examples/receivers')
const GUARANTEE = 'books every payment and refund once, whatever the order, and refuses what is not genuine'

test(`the receiver in Java ${GUARANTEE}`, { skip: skipWithout('javac') }, async () => {
  const classes = compileJava(`${FOLDER}/Receiver.java`)
  await assertReceives(await startReceiver({ after }, () => ['java', '-cp', classes, 'Receiver']))
})

test(`the receiver in Go ${GUARANTEE}`, { skip: skipWithout('go') }, async () => {
  const program = compileGo(`${FOLDER}/receiver.go`)
  await assertReceives(await startReceiver({ after }, () => [program]))
})
