import { execFileSync } from 'node:child_process'
import { createConfig, lintFromString } from '@redocly/openapi-core'

/** Holds the OpenAPI document against the recommended rules of Redocly, and its examples against their schemas: `node tools/lint-openapi.ts`. */
const source = execFileSync(process.execPath, ['src/cli/main.ts', 'openapi'], {
  encoding: 'utf8',
  maxBuffer: 64_000_000,
})
const config = await createConfig({
  extends: ['recommended'],
  rules: {
    'no-invalid-schema-examples': 'error',
    'no-invalid-parameter-examples': 'error',
    'no-invalid-media-type-examples': 'error',
    'operation-tag-defined': 'error',
    'no-unused-components': 'error',
    'tag-description': 'error',
    'operation-description': 'error',
    'path-not-include-query': 'error',
  },
})
const problems = await lintFromString({ source, config })
for (const { ruleId, message, location } of problems)
  process.stderr.write(`${ruleId}: ${message} ${location[0]?.pointer ?? ''}\n`)
process.exitCode = problems.length === 0 ? 0 : 1
