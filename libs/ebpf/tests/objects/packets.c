/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Programs on packets, as an XDP or traffic-control program is written: bounds checks against data_end, a map of counters,
 * a header taken off and put on. The structures are the kernel's (include/uapi/linux/bpf.h), so far as they are used.
 */
#define SEC(name) __attribute__((section(name), used))
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

struct xdp_md {
	u32 data, data_end, data_meta, ingress_ifindex, rx_queue_index, egress_ifindex;
};

struct __sk_buff {
	u32 len, pkt_type, mark, queue_mapping, protocol, vlan_present, vlan_tci, vlan_proto, priority, ingress_ifindex,
		ifindex, tc_index, cb[5], hash, tc_classid, data, data_end;
};

struct {
	int (*type)[2]; /* an array */
	int (*max_entries)[256];
	u32 *key;
	u64 *value;
} counters SEC(".maps");

#ifdef LARGE_MAP
struct {
	int (*type)[2];
	int (*max_entries)[20000000];
	u32 *key;
	u64 *value;
} large SEC(".maps");
#endif

static void *(*lookup)(void *, const void *) = (void *)1;
static u64 (*ktime)(void) = (void *)5;
static long (*print)(const char *, u32, ...) = (void *)6;
static long (*load_bytes)(struct __sk_buff *, u32, void *, u32) = (void *)26;
static long (*csum_diff)(u32 *, u32, u32 *, u32, u32) = (void *)28;
static long (*adjust_head)(struct xdp_md *, int) = (void *)44;
static long (*adjust_tail)(struct xdp_md *, int) = (void *)65;

/* IPv4 passes and is counted by protocol, ARP is sent back, the rest is dropped. */
SEC("xdp") int classify(struct xdp_md *context)
{
	u8 *data = (u8 *)(u64)context->data, *end = (u8 *)(u64)context->data_end;
	u64 *counter;
	u32 key;

	if (data + 34 > end)
		return 1;
	if (data[12] == 8 && data[13] == 6)
		return 3;
	if (data[12] != 8 || data[13] != 0)
		return 1;
	key = data[23];
	counter = lookup(&counters, &key);
	if (!counter)
		return 0;
	++*counter;
#ifdef LARGE_MAP
	key = 1;
	counter = lookup(&large, &key);
	if (!counter)
		return 0;
#endif
	return context->ingress_ifindex == 1 && ktime() ? 2 : 0;
}

/* Puts 4 bytes in front, writes them, and cuts the packet to 60. */
SEC("xdp/tag") int tag(struct xdp_md *context)
{
	u8 *data, *end;
	int bytes;

	if (adjust_head(context, -4))
		return 0;
	data = (u8 *)(u64)context->data;
	end = (u8 *)(u64)context->data_end;
	if (data + 4 > end)
		return 0;
	data[0] = 0xaa;
	data[3] = 0xbb;
	bytes = (int)(end - data);
	if (adjust_tail(context, 60 - bytes) || adjust_tail(context, -1000) == 0)
		return 0;
	return 3;
}

/* Reads where no packet is. */
SEC("xdp") int overrun(struct xdp_md *context)
{
	return *(volatile u8 *)(u64)context->data_end;
}

SEC("tc") int count(struct __sk_buff *skb)
{
	static const char format[] = "%d bytes, protocol %x";
	u32 from = 1, to = 3;
	u8 *data = (u8 *)(u64)skb->data, *end = (u8 *)(u64)skb->data_end;
	u8 mac[6];

	print(format, sizeof(format), skb->len, skb->protocol);
	if (load_bytes(skb, 6, mac, sizeof(mac)) || data + 14 > end || mac[5] != data[11])
		return 2;
	mac[1] = mac[2] = 1;
	if (load_bytes(skb, skb->len - 1, mac, 2) == 0 || mac[1] != 0 || mac[2] != 1) /* a failure clears what it was to fill */
		return 2;
	return csum_diff(&from, 4, &to, 4, 0) == 2 ? 0 : 2;
}

/* As the kernel's cgroup programs answer: 1 lets the packet pass. */
SEC("cgroup_skb/ingress") int allow(struct __sk_buff *skb)
{
	return skb->len != 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
