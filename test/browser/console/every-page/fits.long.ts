import { test } from 'node:test'
import { cramped, lookAtPages } from './look.ts'

test('no page of the console cuts anything off at 200 %, and its lists show their numbers on a phone', t =>
  lookAtPages(t, () => true, cramped))
