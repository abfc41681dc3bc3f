import { resolve } from 'node:path'
import { after, test } from 'node:test'
import { compileJava, skipWithout } from '../sdk/languages.ts'
import { assertReceives, startReceiver } from './receivers.ts'

const FILE = resolve(import.meta.dirname, '../../examples/receivers/Receiver.java')

test(
  'the receiver in Java books every payment and refund once, whatever the order, and refuses what is not genuine',
  { skip: skipWithout('javac') },
  async () => {
    const classes = compileJava(FILE)
    await assertReceives(await startReceiver({ after }, () => ['java', '-cp', classes, 'Receiver']))
  },
)
