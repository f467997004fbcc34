# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# For the libraries' Makefiles: what a build depends on besides files. They put the tools' versions and flags into KEY and have what
# they build depend on $(OUT)/key, which is new when KEY is another.

.PHONY: force
$(OUT)/key: force
	@mkdir -p $(@D)
	@echo '$(KEY)' >$@.now; if cmp -s $@.now $@; then rm $@.now; else mv $@.now $@; fi
