# SPDX-License-Identifier: GPL-2.0-or-later
"""Why the tool and the table of tcp_sock.rst differ on a field: read by hand in
the source of Linux 6.12, for bench/tcp_sock.py to print beside its results.

"table" means that the table does not say what the functions that it names do;
"tool" that the estimate is off; "view" that both are right about different
questions."""

TOUCHED = {
    "inet_conn": "view: the embedded parent; it has tables of its own, its row here is empty",
    "bpf_sock_ops_cb_flags": "table: bpf_skops_hdr_opt_len, in tcp_established_options, tests it for every segment sent",
    "mdev_max_us": "table: tcp_rtt_estimator, which the table names for mdev_us, reads and writes it on each sample",
    "compressed_ack": "table: tcp_event_ack_sent, in __tcp_transmit_skb of every ACK, tests it",
    "snd_cwnd_used": "table: tcp_cwnd_validate writes it (both branches)",
    "snd_cwnd_stamp": "table: tcp_cwnd_validate writes it when limited by cwnd, reads it when not",
    "af_specific": "view: MD5 look-up in tcp_get_current_key, behind a static key that is off in most machines",
    "md5sig_info": "view: behind the same static key",
    "fastopen_rsk": "tool: tcp_rearm_rto and tcp_rcv_state_process test it; null but for a server's Fast Open",
    "fastopen_req": "table: it names tcp_send_syn_data (connection set-up) as one of its functions",
    "pacing_timer": "tool: tcp_pacing_check tests hrtimer_is_queued when pacing is needed; the need is not foreseen as rare",
    "last_oow_ack_time": "tool: out-of-window ACKs (tcp_validate_incoming, challenge ACK) are rare, no hint in the source says so",
    "ooo_last_skb": "tool: out-of-order branch of tcp_data_queue",
    "high_seq": "tool: recovery states of tcp_ack and tcp_clean_rtx_queue; an `if` on icsk_ca_state that nothing marks as rare",
    "rcv_rtt_last_tsecr": "table: tcp_rcv_rtt_measure_ts reads and writes it in tcp_rcv_established; 6.12 keeps it in group tcp_sock_write_rx",
    "lost_cnt_hint": "table: tcp_clean_rtx_queue reads and writes it on each ACK of new data of a connection with SACK",
    "reord_seen": "tool: reordering found by tcp_clean_rtx_queue",
    "urg_data": "tool: last operand of `&&` in tcp_fast_path_check; tcp_data_queue tests it once a segment, through tcp_urg",
    "rate_delivered": "tool: at the end of tcp_rate_gen, behind four early returns which the source does not mark as rare",
    "rate_interval_us": "tool: as rate_delivered",
    "rate_app_limited": "tool: as rate_delivered",
    "gso_segs": "tool: one read for each call of tcp_xmit_size_goal; touched there with certainty, but its one function is one of 70",
    "rcv_tstamp": "tool: one write in tcp_ack, behind its early returns (old and invalid ACKs, not marked as rare)",
    "segs_in": "tool: one update in tcp_v6_rcv, behind a dozen checks that all lead to a drop",
    "data_segs_in": "tool: as segs_in, if the segment has data",
}

KIND = {
    "snd_wl1": "table: tcp_update_wl writes it on the fast path of tcp_ack and in tcp_ack_update_window",
    "mss_cache": "table: it names tcp_sync_mss, which writes it; rare in fact (the path MTU changed)",
    "rcv_ssthresh": "table: tcp_grow_window writes it for data that arrives; __tcp_select_window for memory pressure",
    "is_cwnd_limited": "table: tcp_cwnd_validate writes it",
    "rttvar_us": "table: tcp_rtt_estimator, which the table names for mdev_us, writes it",
    "rtt_min": "table: it names tcp_update_rtt_min, which writes it",
    "prr_out": "tool: written in recovery only (`if (tcp_in_cwnd_reduction(sk))`)",
    "reordering": "tool: written when reordering is found; rare",
    "out_of_order_queue": "tool: written when segments arrive out of order; rare",
    "retransmit_skb_hint": "tool: cleared behind unlikely(); the other writers are recovery",
    "lost_skb_hint": "tool: cleared behind unlikely(); the other writers are recovery",
    "tlp_high_seq": "tool: tcp_process_tlp_ack writes it, only after a loss probe",
    "sacked_out": "tool: written for SACKed segments",
    "rx_opt": "view: written by every segment's time stamp, but read far more often; one name for a struct of 16 fields",
    "rcv_nxt": "view: written once for a segment of data, read in a dozen places",
    "snd_nxt": "view: written once for a segment sent, read in a dozen places",
    "snd_una": "view: written once for an ACK, read in a dozen places",
    "packets_out": "view: written for each segment sent and acknowledged, read in a dozen places",
    "write_seq": "view: written by tcp_skb_entail's caller for data, read in many places",
    "delivered": "view: written once for an ACK that delivers, read by every rate sample",
    "delivered_ce": "view: written for ECN marks, read by every rate sample",
    "app_limited": "view: written when the application runs dry, read by every rate sample",
    "ecn_flags": "view: tested for every segment, written when congestion was marked",
    "window_clamp": "table: tcp_rcv_space_adjust writes it only if the user locked the buffer or the window grows; __tcp_select_window reads it",
    "snd_sml": "tool: tcp_minshall_update writes it for every segment shorter than the MSS; the condition is taken as even",
}
