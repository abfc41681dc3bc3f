import { execFileSync } from 'node:child_process'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectralCore from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'

/** Holds the OpenAPI document against the recommended rules of Redocly and Spectral: `node tools/lint-openapi.ts`. */
const text = execFileSync(process.execPath, ['src/cli/main.ts', 'openapi'], {
  encoding: 'utf8',
  maxBuffer: 64_000_000,
})

const spectral = new spectralCore.Spectral()
spectral.setRuleset(new spectralCore.Ruleset({ extends: [rulesets.oas] }))
const config = await createConfig({ extends: ['recommended'] })
const [byRedocly, bySpectral] = await Promise.all([
  lintFromString({ source: text, config }),
  spectral.run(JSON.parse(text)),
])

const problems = [
  ...byRedocly.map(
    ({ ruleId, message, location: [at] }) => `redocly ${ruleId}: ${message} ${at?.pointer ?? ''}`,
  ),
  ...bySpectral.map(({ code, message, path }) => `spectral ${code}: ${message} ${path.join('.')}`),
]
for (const problem of problems) process.stderr.write(`${problem}\n`)
process.exitCode = problems.length === 0 ? 0 : 1
