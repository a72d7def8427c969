// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** An inventory to begin with. */

export function draftInventory(fabric: string): string {
  return `# Who is where on ${fabric}, and how agents are started there. docs/hosts.md explains the keys.
ibcc_inventory: 1
name: ${fabric}
launcher: {kind: ssh, user: ibcc, connect_timeout_s: 10}
hosts:
# nodes: names for the launcher. host: what the fabric calls the port; {node} is the node's name, {number} the number in it.
- {nodes: "node[1-7]", host: "{node} HCA-1", address: "{node}-ib", device: mlx5_0}
`;
}
