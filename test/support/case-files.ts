import type { CaseExpectation, CaseInput } from './case-types.ts'
import { hasShared, listShared, readSharedJson } from './shared-data.ts'

/** A case with what must hold. */
export interface CaseFile {
  readonly input: CaseInput
  readonly expectation: CaseExpectation
}

/** Every case of the shared folder in order; empty where the folder is absent. */
export function readCases(): CaseFile[] {
  if (!hasShared('cases')) return []
  const names = listShared('cases').filter((name) => /^\d\d-.*(?<!\.expect)\.json$/.test(name))
  return names.map((name) => ({
    input: readSharedJson<CaseInput>(`cases/${name}`),
    expectation: readSharedJson<CaseExpectation>(
      `cases/${name.replace(/\.json$/, '.expect.json')}`,
    ),
  }))
}
