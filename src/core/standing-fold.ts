import { applyEdits, type Edit, type EditPlace, type InsertEdit } from './edit.ts'
import type { Unit, View } from './model.ts'

/** What an earlier compaction folded: found by its edits, never by what a text looks like. */
export interface StandingFold {
  /** The checkpoint as it stands, marks and quotes included. */
  readonly text: string
  readonly place: EditPlace
  /** The units that left, oldest first, as they came. */
  readonly units: readonly Unit[]
}

/** What a fold works on: the history with an earlier checkpoint taken out, which goes into the new one. */
export interface FoldGround {
  /** The view without the checkpoint of an earlier fold and the media it moved. What it removed stays away. */
  readonly view: View
  /** The view with nothing folded: what is still unanswered is read from it. */
  readonly unfolded: View
  readonly earlier: StandingFold | undefined
}

/** Gives back what the next fold of a strategy works on. Its own edits are known by its name. */
export function foldGround(base: View, edits: readonly Edit[], strategy: string): FoldGround {
  const insert = edits.find(
    (edit): edit is InsertEdit => edit.type === 'insert' && edit.pass === strategy,
  )
  const view = applyEdits(base, withoutCheckpoint(edits, strategy))
  if (insert?.content.type !== 'text') return { view, unfolded: view, earlier: undefined }
  const own = edits.filter((edit) => edit.pass === strategy)
  const left = new Set(own.flatMap((edit) => (edit.type === 'remove' ? edit.seq : [])))
  const unfolded = applyEdits(
    base,
    edits.filter((edit) => edit.pass !== strategy),
  )
  const units = unfolded.units.filter((unit) => left.has(unit.seq))
  return { view, unfolded, earlier: { text: insert.content.text, place: insert.place, units } }
}

/** Gives back the edits without the checkpoint of an earlier fold and the media it moved. */
export function withoutCheckpoint(edits: readonly Edit[], strategy: string): readonly Edit[] {
  return edits.filter((edit) => edit.pass !== strategy || edit.type === 'remove')
}
