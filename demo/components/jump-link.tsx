import type { ComponentChildren } from 'preact'

/** Leads to an element of this page without touching the address, which names the conversation. */
export function JumpLink(props: {
  readonly to: string
  readonly class?: string
  readonly children: ComponentChildren
}) {
  const jump = (event: Event) => {
    event.preventDefault()
    const target = document.getElementById(props.to)
    target?.scrollIntoView({ block: 'center' })
    target?.focus()
  }
  return (
    <a href={`#${props.to}`} class={props.class ?? ''} onClick={jump}>
      {props.children}
    </a>
  )
}
