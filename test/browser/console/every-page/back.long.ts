import { test } from 'node:test'
import { axeViolations } from '../../../harness/browser.ts'
import { lookAtPages } from './look.ts'
import { OF_THE_BACK_OFFICE } from './school.ts'

test('axe finds nothing on any page of money, instalments, loans, developers and settings, by day and by night', t =>
  lookAtPages(t, address => OF_THE_BACK_OFFICE.test(address), axeViolations))
